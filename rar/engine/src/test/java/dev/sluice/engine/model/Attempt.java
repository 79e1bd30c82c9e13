package dev.sluice.engine.model;

import dev.sluice.engine.database.Remedy;
import java.sql.SQLException;

/** Something that may meet a lock, or a conflict of serializable transactions: then it did not happen. */
final class Attempt {

    /** What is attempted. */
    interface Action {
        void run() throws SQLException;
    }

    private Attempt() {}

    static boolean at(Action action) throws SQLException {
        try {
            action.run();
            return true;
        } catch (SQLException e) {
            if (!didNotHappen(e)) {
                throw e;
            }
            return false;
        }
    }

    static boolean didNotHappen(SQLException error) {
        return Remedy.passing(error) && !Remedy.connectionLost(error);
    }
}
