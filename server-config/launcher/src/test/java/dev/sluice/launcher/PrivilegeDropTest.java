package dev.sluice.launcher;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.SQLException;
import java.util.stream.Stream;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@DisplayName("Root's privileges")
class PrivilegeDropTest {

    private static final Path SHELL = Path.of("/bin/sh");

    @ParameterizedTest
    @MethodSource("waysThatWork")
    @DisplayName("are dropped in each way that works here for a server that is stopped, crashed and closed")
    void dropped(PrivilegeDrop way) throws SQLException {
        PostgresServer server = PostgresServer.builder().privileges(way).start();
        try (server) {
            ProcessHandle postmaster = ProcessHandle.of(server.pid()).orElseThrow();
            assertTrue(postmaster.info().command().orElseThrow().endsWith("/bin/postgres"));
            server.restart(StopMode.IMMEDIATE);
            assertNotEquals(postmaster.pid(), server.pid());
            server.restart(StopMode.FAST);
            server.createDatabase("works");
        }
        assertTrue(Files.notExists(server.dataDirectory()));
    }

    @Test
    @DisplayName("are dropped by root and by nobody else")
    void ordinaryUser() {
        assertEquals(Command.runsAsRoot(), PrivilegeDrop.thatRuns(SHELL) != PrivilegeDrop.NONE);
    }

    static Stream<PrivilegeDrop> waysThatWork() {
        return Stream.of(PrivilegeDrop.values()).filter(way -> way.runs(SHELL));
    }
}
