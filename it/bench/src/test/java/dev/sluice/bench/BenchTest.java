package dev.sluice.bench;

import static org.junit.jupiter.api.Assertions.assertAll;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.io.PrintWriter;
import java.io.StringWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import picocli.CommandLine;

@DisplayName("The command line")
class BenchTest {

    private final StringWriter out = new StringWriter();
    private final StringWriter err = new StringWriter();

    private int run(String... arguments) {
        CommandLine line = new Bench(StopSignal.none()).commandLine();
        line.setOut(new PrintWriter(out, true));
        line.setErr(new PrintWriter(err, true));
        return line.execute(arguments);
    }

    @ParameterizedTest(name = "{0}")
    @DisplayName("refuses a wrong option with status 2 and one line that names it and what is allowed")
    @CsvSource(delimiter = '|', textBlock = """
            commit --seconds x            | --seconds       | a whole number from 5 to 86400, not "x"
            commit --seconds 0            | --seconds       | a whole number from 5 to 86400, not "0"
            commit --seconds -1           | --seconds       | a whole number from 5 to 86400, not "-1"
            commit --seconds 99999999999  | --seconds       | a whole number from 5 to 86400
            commit --seconds              | --seconds       | Missing required parameter
            commit --seconds 9 --seconds 8| --seconds       | only once
            commit --rate 0               | --rate          | a whole number from 1 to 100000
            commit --mode fast            | --mode          | leased or transactional, not "fast"
            commit --mode LEASED          | --mode          | leased or transactional
            commit --workers 501          | --workers       | a whole number from 1 to 500
            commit --batch 0              | --batch         | a whole number from 1 to 1000
            commit --payload-bytes 49     | --payload-bytes | a whole number from 50 to 1048576
            commit --seed -1              | --seed          | a whole number from 0
            commit --through engine       | --through       | allowed is server
            commit --through both         | --through       | engine or server
            commit --pg fsync             | --pg            | name=value,name=value
            commit --pg port=5432         | --pg            | the bench's own
            commit --url http://h/db      | --url           | jdbc:postgresql://host:port/database
            commit --liberty /nowhere     | --liberty       | There is no Open Liberty in /nowhere
            commit --bogus                | --bogus         | --help
            commit once                   | once            | --help
            drain --jobs 999              | --jobs          | a whole number from 1000 to 100000000, not "999"
            drain --through server        | --through       | allowed is engine
            drain --mode leased           | --mode          | both are measured
            drain --rate 10               | --rate          | a backlog waits
            drain --queues 2              | --queues        | a queue of its own
            drain --work-ms 1             | --work-ms       | do nothing
            drain --workers 0             | --workers       | a whole number from 1 to 500
            grow --jobs 99999             | --jobs          | a whole number from 100000
            grow --batch 51               | --batch         | a whole number from 1 to 50
            grow --through server         | --through       | allowed is engine
            grow --rate 10                | --rate          | at a steady rate
            grow --workers 2              | --workers       | at a steady rate
            grow --mode fast              | --mode          | leased or transactional
            measure                       | measure         | the commands are commit, drain, grow, pin
            pin                           | --pin           | Missing required option
            pin --pin pgdump              | --pin           | snapshot or xid or prepared or otherdb or reader, not "pgdump"
            pin --pin xid --queue river   | --queue         | sluice or plain or que, not "river"
            pin --pin xid --seconds 19    | --seconds       | 20 at least
            pin --pin xid --producers 501 | --producers     | a whole number from 1 to 500
            pin --pin xid --queue que --mode leased     | --queue  | que has neither --mode
            pin --pin xid --queue plain --mix           | --queue  | nor --mix
            pin --pin xid --queue plain --through server| --queue  | no --through server
            pin --pin xid --through server --queues 2   | --queues | allowed with --through server is 1
            """)
    void refuses(String arguments, String option, String allowed) {
        int status = run(arguments.split(" "));

        assertAll(
                () -> assertEquals(2, status),
                () -> assertEquals(1, err.toString().lines().count(), err.toString()),
                () -> assertTrue(err.toString().contains(option), err.toString()),
                () -> assertTrue(err.toString().contains(allowed), err.toString()),
                () -> assertEquals("", out.toString()));
    }

    @Test
    @DisplayName("asks for a command where there is none")
    void wantsCommand() {
        assertEquals(2, run());
        assertTrue(err.toString().contains("the commands are commit"), err.toString());
    }

    @ParameterizedTest(name = "{0}")
    @DisplayName("refuses an option that means nothing to the command, and says why")
    @CsvSource({
        "--rate=10, backlog",
        "--producers=2, backlog",
        "--commit-lag-ms=5, backlog",
        "--queues=2, queue of its own",
        "--work-ms=1, nothing beside"
    })
    void refusesUnused(String option, String reason) {
        // the folder is refused later, so a run is never made
        assertEquals(2, run("commit", option, "--liberty", "/nowhere"));
        assertTrue(err.toString().contains("does not use " + option.replaceFirst("=.*", "")), err.toString());
        assertTrue(err.toString().contains(reason), err.toString());
    }

    @Test
    @DisplayName("refuses parameters of PostgreSQL where it does not start it")
    void refusesParametersOfAnExistingServer() {
        assertEquals(
                2,
                run(
                        "commit",
                        "--url",
                        "jdbc:postgresql://127.0.0.1:1/db?user=a",
                        "--pg",
                        "jit=on",
                        "--liberty",
                        "/nowhere"));
        assertTrue(err.toString().contains("--pg"), err.toString());
    }

    @Test
    @DisplayName("does not repeat a URL that it refuses, since a password may be in it")
    void keepsPasswords() {
        assertEquals(2, run("commit", "--url", "jdbc:postgresql:db?user=a&password=secret"));
        assertFalse(err.toString().contains("secret"), err.toString());
    }

    @Test
    @DisplayName("refuses a folder that cannot be made")
    void refusesOut(@TempDir Path folder) throws Exception {
        Path file = Files.createFile(folder.resolve("file"));
        // the check of Open Liberty comes first, and this test does not depend on one
        Path liberty = Files.createDirectories(folder.resolve("wlp/bin/tools"));
        Files.createFile(liberty.resolve("ws-server.jar"));

        assertEquals(
                2,
                run(
                        "commit",
                        "--liberty",
                        folder.resolve("wlp").toString(),
                        "--out",
                        file.resolve("below").toString()));
        assertTrue(err.toString().contains("--out"), err.toString());
    }

    @Test
    @DisplayName("helps with what a command knows, and leaves out what means nothing to it")
    void helps() {
        assertEquals(0, run("commit", "--help"));
        String help = out.toString();
        for (String option : new String[] {
            "--seconds",
            "--mode",
            "--workers",
            "--batch",
            "--payload-bytes",
            "--through",
            "--url",
            "--pg",
            "--seed",
            "--out",
            "--liberty"
        }) {
            assertTrue(help.contains(option), option);
        }
        assertFalse(help.contains("--rate"), help);
    }
}
