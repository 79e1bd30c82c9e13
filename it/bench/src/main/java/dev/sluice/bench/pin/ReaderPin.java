package dev.sluice.bench.pin;

import dev.sluice.bench.site.Database;
import java.sql.Connection;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;

/** A {@link SessionPin} that has read every table of the queue, and holds its locks on them. */
final class ReaderPin implements Pin {

    /** In one statement, so that none of the tables can change its nature in between. */
    private static final String READ = """
            do $$
            declare
              one regclass;
            begin
              for one in
                select oid from pg_class where relnamespace = '{schema}'::regnamespace and relkind = 'r' order by oid
              loop
                execute format('select count(*) from %s', one);
              end loop;
            end $$""";

    private static final String LOCKS = """
            /* bench:reader's locks */
            select count(*) from pg_locks l join pg_class c on c.oid = l.relation
            where l.pid = ? and l.mode = 'AccessShareLock' and l.granted
              and l.database = (select oid from pg_database where datname = current_database())
              and c.relnamespace = ?::regnamespace and c.relkind = 'r' and c.relname ~ '^job'""";

    private final SessionPin session;
    private final String schema;

    private ReaderPin(SessionPin session, String schema) {
        this.session = session;
        this.schema = schema;
    }

    static ReaderPin hold(Database database, String schema) throws SQLException {
        return new ReaderPin(
                SessionPin.hold(
                        database,
                        Connection.TRANSACTION_REPEATABLE_READ,
                        READ.replace("{schema}", schema),
                        SessionPin.SNAPSHOT),
                schema);
    }

    @Override
    public boolean active() throws SQLException {
        return session.active() && locks() > 0;
    }

    private long locks() throws SQLException {
        try (PreparedStatement query = session.witness().prepareStatement(LOCKS)) {
            query.setInt(1, session.pid());
            query.setString(2, schema);
            try (ResultSet row = query.executeQuery()) {
                row.next();
                return row.getLong(1);
            }
        }
    }

    @Override
    public void close() throws SQLException {
        session.close();
    }
}
