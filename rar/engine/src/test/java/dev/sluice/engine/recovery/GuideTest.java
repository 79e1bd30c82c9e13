package dev.sluice.engine.recovery;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.QueueFixture;
import dev.sluice.engine.TestNode;
import dev.sluice.engine.TestTransaction;
import dev.sluice.engine.queue.Job;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

@Timeout(60)
class GuideTest {

    @Test
    @DisplayName("Every statement of docs/recovery.md does what is said of it")
    void guide() throws Exception {
        List<String> statements = statements();
        assertEquals(7, statements.size(), "a new one needs its place below: " + statements);
        try (QueueFixture fixture = new QueueFixture()) {
            Doubt doubt = new Doubt(fixture);
            String wanted = TestTransaction.newXid().toString();
            long job = acknowledgeInDoubt(fixture, wanted);
            String unwanted = doubt.prepare();

            assertEquals(wanted, fixture.query(statements.get(0)), "see what is in doubt");
            assertEquals(String.valueOf(job), fixture.query(with(wanted, statements.get(1))), "which job it is");
            assertNull(fixture.query(with(unwanted, statements.get(1))), "it is the end of no job");
            assertTrue(fixture.query(with(wanted, statements.get(2))).startsWith("commit is noted"));
            assertTrue(fixture.query(with(unwanted, statements.get(3))).startsWith("rollback is noted"));
            assertEquals(unwanted, fixture.query(statements.get(4)), "see that it is done: the last first");
            fixture.execute(with(unwanted, statements.get(5)));
            assertEquals("1", fixture.query("select count(*) from sluice.resolution"), "taken back");
            fixture.query(with(unwanted, statements.get(3)));

            fixture.engine();
            fixture.await("0", "select count(*) from sluice.resolution where done_at is null");
            assertEquals("0", fixture.query("select count(*) from sluice.job"));
            assertEquals("0", doubt.entries());
            fixture.execute(with(wanted, statements.get(5)));
            assertEquals("2", fixture.query("select count(*) from sluice.resolution"), "what is done stays");
            assertEquals("t", fixture.query(with(wanted, statements.get(6))), "forget");
        }
    }

    /** The statements in their order, which the test follows. */
    private static List<String> statements() throws IOException {
        Matcher block = Pattern.compile("^ *```sql\\R(.*?)^ *```", Pattern.DOTALL | Pattern.MULTILINE)
                .matcher(Files.readString(Path.of("../../docs/recovery.md")));
        List<String> statements = new ArrayList<>();
        while (block.find()) {
            statements.add(block.group(1));
        }
        return statements;
    }

    private static String with(String gid, String statement) {
        assertTrue(statement.contains("'GID'"), statement);
        return statement.replace("'GID'", "'" + gid + "'");
    }

    /** A job whose acknowledgement is prepared under this name, and whose node is gone; returns its id. */
    private static long acknowledgeInDoubt(QueueFixture fixture, String gid) throws Exception {
        fixture.execute("select sluice.define_queue('work')");
        fixture.execute("select sluice.enqueue('work', 'entry')");
        TestNode node = fixture.node();
        Job job = node.claim("work", 1).get(0);
        node.connection().setAutoCommit(false);
        assertTrue(node.acknowledge(job));
        try (Statement statement = node.connection().createStatement()) {
            statement.execute("prepare transaction '" + gid + "'");
        }
        return job.id();
    }
}
