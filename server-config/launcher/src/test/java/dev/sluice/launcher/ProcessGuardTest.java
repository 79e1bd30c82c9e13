package dev.sluice.launcher;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.BufferedReader;
import java.io.IOException;
import java.lang.ProcessBuilder.Redirect;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.MethodSource;

@DisplayName("A server does not outlive the JVM that started it")
class ProcessGuardTest {

    private static final long LIMIT_SECONDS = 30;

    private Process jvm;
    private ProcessHandle postmaster;
    private Path data;
    private List<ProcessHandle> family;

    @AfterEach
    void killJvm() {
        if (jvm != null) {
            jvm.destroyForcibly();
        }
    }

    @ParameterizedTest
    @MethodSource("dev.sluice.launcher.PrivilegeDropTest#waysThatWork")
    @DisplayName("when it exits and leaves the server open")
    void exit(PrivilegeDrop way) throws Exception {
        startJvm(way);
        jvm.getOutputStream().close();
        assertTrue(jvm.waitFor(LIMIT_SECONDS, TimeUnit.SECONDS));
        assertEquals(0, jvm.exitValue());
        assertNothingLeft();
    }

    @ParameterizedTest
    @MethodSource("dev.sluice.launcher.PrivilegeDropTest#waysThatWork")
    @DisplayName("when it is killed")
    void kill(PrivilegeDrop way) throws Exception {
        startJvm(way);
        jvm.destroyForcibly();
        assertNothingLeft();
    }

    private void startJvm(PrivilegeDrop way) throws IOException {
        jvm = new ProcessBuilder(
                        Path.of(System.getProperty("java.home"), "bin", "java").toString(),
                        "-cp",
                        System.getProperty("java.class.path"),
                        LoneServer.class.getName(),
                        way.name())
                .redirectError(Redirect.INHERIT)
                .start();
        BufferedReader output = jvm.inputReader();
        postmaster = ProcessHandle.of(Long.parseLong(output.readLine())).orElseThrow();
        data = Path.of(output.readLine());
        family = jvm.descendants().toList();
        assertTrue(family.contains(postmaster));
        assertTrue(Files.isDirectory(data));
    }

    // The last of the family to end is the watchdog, once it has deleted the data.
    private void assertNothingLeft() throws Exception {
        CompletableFuture.allOf(family.stream().map(ProcessHandle::onExit).toArray(CompletableFuture<?>[]::new))
                .get(LIMIT_SECONDS, TimeUnit.SECONDS);
        assertTrue(Files.notExists(data.getParent()));
    }
}
