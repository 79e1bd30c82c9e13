package dev.sluice.engine.model;

import java.sql.SQLException;

/** Statements of rotation in one transaction, so that it may end between any two of them. */
final class RotationTransaction extends Transaction {

    private final Session session;

    RotationTransaction(World world, Session session) throws SQLException {
        super(world, session);
        this.session = session;
    }

    /** Returns what it said. */
    String call(RotationSteps.Call call) throws SQLException {
        String[] answer = {"did not happen"};
        attempt(() -> answer[0] = call.on(session));
        RotationSteps.note(world(), call, answer[0]);
        return call + " -> " + answer[0];
    }

    @Override
    void ended(boolean committed) {
        // whatever it was, no job has come or gone
    }

    @Override
    public String toString() {
        return "rotation";
    }
}
