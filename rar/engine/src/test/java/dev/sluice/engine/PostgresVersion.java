package dev.sluice.engine;

import dev.sluice.launcher.PostgresServer;
import java.nio.file.Path;
import java.sql.SQLException;

/** A version of PostgreSQL that we test with, and the server of that version that all tests of this JVM share. */
public enum PostgresVersion {
    /** The oldest that we support. */
    V15 {
        @Override
        public PostgresServer.Builder builder() {
            return PostgresServer.builder().binaries(Path.of("target/postgresql-15.jar"));
        }
    },

    /** The newest. */
    V18 {
        @Override
        public PostgresServer.Builder builder() {
            return PostgresServer.builder();
        }
    };

    /** The database of the shared server that has the queue's schema and nothing else. */
    static final String TEMPLATE = "sluice_template";

    private PostgresServer shared;

    /** The version for tests that ask for none: 18, unless {@code -Dsluice.test.postgres=15} says otherwise. */
    public static PostgresVersion standard() {
        return valueOf("V" + System.getProperty("sluice.test.postgres", "18"));
    }

    /** Builds a server of this version for a test of its own. */
    public abstract PostgresServer.Builder builder();

    /** The shared server, started when it is first asked for. It does not outlive this JVM. */
    public synchronized PostgresServer shared() throws SQLException {
        if (shared == null) {
            PostgresServer server = builder().setting("fsync", "off").start();
            server.createDatabase(TEMPLATE);
            QueueFixture.migrate(server, TEMPLATE);
            shared = server;
        }
        return shared;
    }
}
