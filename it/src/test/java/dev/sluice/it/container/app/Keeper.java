package dev.sluice.it.container.app;

import jakarta.annotation.PostConstruct;
import jakarta.annotation.Resource;
import jakarta.ejb.Singleton;
import jakarta.ejb.TransactionAttribute;
import jakarta.ejb.TransactionAttributeType;
import jakarta.transaction.Synchronization;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.StringJoiner;
import javax.sql.DataSource;

/** Keeps connections for too long, in the ways that people do. */
@Singleton
public class Keeper {

    @Resource(lookup = "sluice/ds")
    private DataSource dataSource;

    private Connection ofConstruction;
    private Connection ofFirstCall;

    private Connection connection;
    private PreparedStatement statement;
    private ResultSet rows;
    private volatile boolean closedInTime;

    @PostConstruct
    void connect() throws SQLException {
        ofConstruction = dataSource.getConnection();
    }

    /** Keeps what a handler has. */
    @TransactionAttribute(TransactionAttributeType.SUPPORTS)
    public void keep(Connection itsConnection, PreparedStatement itsStatement, ResultSet itsRows) {
        connection = itsConnection;
        statement = itsStatement;
        rows = itsRows;
    }

    /** Looks, as soon as the transaction has ended, whether what is kept of it is closed. */
    @TransactionAttribute(TransactionAttributeType.SUPPORTS)
    public Synchronization look() {
        PreparedStatement kept = statement;
        return new Synchronization() {
            @Override
            public void beforeCompletion() {}

            @Override
            public void afterCompletion(int status) {
                try {
                    closedInTime = kept.isClosed();
                } catch (SQLException e) {
                    throw new IllegalStateException(e);
                }
            }
        };
    }

    /** What each of the things that a handler kept says when it is used. */
    @TransactionAttribute(TransactionAttributeType.SUPPORTS)
    public String tryAll() {
        StringJoiner refusals = new StringJoiner("; ");
        refusals.add(refusal(() -> connection.createStatement()));
        refusals.add(refusal(() -> connection.commit()));
        refusals.add(refusal(() -> statement.executeQuery()));
        refusals.add(refusal(() -> {
            // more than were fetched
            for (int i = 0; i < 20; i++) {
                rows.next();
            }
        }));
        return refusals.add(closedInTime ? "closed in time" : "closed late").toString();
    }

    /** Writes on the connection that this bean got when it was made. */
    public void writeOnFirst(String text) throws SQLException {
        Notes.write(ofConstruction, 0, 0, text);
    }

    /** Writes on the connection that the first call got. */
    public void writeOnKept(String text) throws SQLException {
        if (ofFirstCall == null) {
            ofFirstCall = dataSource.getConnection();
        }
        Notes.write(ofFirstCall, 0, 0, text);
    }

    private interface Use {
        void run() throws SQLException;
    }

    private static String refusal(Use use) {
        try {
            use.run();
            return "none";
        } catch (SQLException e) {
            return e.getMessage();
        }
    }
}
