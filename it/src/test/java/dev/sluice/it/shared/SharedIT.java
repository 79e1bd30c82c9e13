package dev.sluice.it.shared;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.it.ApplicationControl;
import dev.sluice.it.Complaints;
import dev.sluice.it.Document;
import dev.sluice.it.Load;
import dev.sluice.it.Site;
import dev.sluice.it.app.TestApplication;
import dev.sluice.launcher.LibertyServer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.AfterAll;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** One adapter in server.xml, our applications, a user's WAR and a user's EAR, as docs/shapes.md has it. */
class SharedIT {

    private static final Document SHAPES = Document.of("docs/shapes.md");

    /** The handlers of both applications, those of the WAR by Jakarta Persistence. */
    private static final String BOTH = """
            select sluice.enqueue('mail', 'welcome', '{"recipient": "a"}'), sluice.enqueue('work', 'busy', '10')
            from generate_series(1, 4) where ? >= 0""";

    private static final String WAITING =
            "select (select count(*) from sluice.job) + (select count(*) from sluice.scheduled)";

    @TempDir
    static Path folder;

    private static Site site;
    private static LibertyServer server;
    private static Path ear;
    private static Path war;

    @BeforeAll
    static void start() throws Exception {
        ear = TestApplication.write(TestApplication.userEar(), folder);
        war = TestApplication.module("mail.war").toPath();
        site = Site.open();
        site.execute("create table sent_mail (id bigint generated always as identity, job bigint, recipient text)");
        server = site.server(
                "shared",
                SHAPES.section("Shared").serverXml(),
                Map.of(
                        "sluice.rar",
                        TestApplication.module("sluice.rar").toPath(),
                        "sluice-shared.ear",
                        TestApplication.module("sluice-shared.ear").toPath(),
                        "mail.war",
                        war,
                        "shop.ear",
                        ear),
                Map.of("SLUICE_CONCURRENCY", "16"));
        server.start();
    }

    @AfterAll
    static void stop() throws Exception {
        site.close();
    }

    @BeforeEach
    void empty() throws Exception {
        site.awaitReady(server);
        // a server that was halted is remembered until it is taken for dead
        site.await("1", "select count(*) from sluice.node");
        site.awaitQueues("mail", "work", "both");
        site.await("0", WAITING);
        for (String database : new String[] {"work", "other"}) {
            site.execute(database, "truncate ledger");
        }
        site.execute("truncate sent_mail");
    }

    @Test
    @DisplayName(
            "A WAR and an EAR are served by one adapter, with health and console beside them; the WAR has its servlet"
                    + " and Jakarta Persistence in the job's transaction")
    void together() throws Exception {
        site.execute("select sluice.enqueue('work', 'persist', '{}'), sluice.enqueue('work', 'enter', '{}'),"
                + " sluice.enqueue('mail', 'welcome', '{\"recipient\": \"b\"}') from generate_series(1, 100)");
        for (int i = 0; i < 10; i++) {
            assertEquals(200, site.post(server, "/mail/subscribe?recipient=a").statusCode());
        }
        site.await("110", "select count(*) from sent_mail");
        site.await("200", "select count(*) from ledger");
        exact();
        assertEquals("1", site.query("select count(*) from sluice.node"), "one adapter");
        String status = site.get(server, "/sluice/api/status").body();
        assertTrue(status.contains("\"ready\":true") && !status.contains("problem"), status);
    }

    @Test
    @DisplayName("Under load, each application is redeployed for itself: the other works on, and so does the adapter")
    void redeploy() throws Exception {
        String node = site.query("select id from sluice.node");
        List<String> complaints = Complaints.of(server);
        long mark = server.mark();
        try (Load load = Load.start(site, BOTH)) {
            ApplicationControl.replace(server, "mail", war, "mail.war");
            awaitProgress("sent_mail");
            ApplicationControl.replace(server, "shop", ear, "shop.ear");
            awaitProgress("ledger");
        }
        site.await("0", WAITING);
        exact();
        assertEquals(node, site.query("select id from sluice.node"), "the adapter is the same");
        String log = server.messages().substring((int) mark);
        assertEquals(1, log.split("CWWKZ0009I: The application mail ", -1).length - 1);
        assertEquals(1, log.split("CWWKZ0009I: The application shop ", -1).length - 1);
        assertEquals(complaints, Complaints.of(server), "no new ones");
    }

    @ParameterizedTest(name = "{0}")
    @ValueSource(strings = {"after prepare", "before commit"})
    @DisplayName(
            "A server halted in two-phase commit and started again: both databases agree and nothing stays prepared")
    void haltAndRecover(String point) throws Exception {
        site.execute("select sluice.enqueue('both', 'enter') from generate_series(1, 20)");
        site.await("0", WAITING);
        Files.writeString(site.haltFile(), point);
        site.execute("select sluice.enqueue('both', 'enter') from generate_series(1, 20)");
        assertTrue(server.awaitExit(Duration.ofSeconds(60)), "it halts " + point);
        server.start();
        site.await("40", "select count(distinct job) from ledger");
        site.await("0", WAITING);
        site.await("0", "select count(*) from pg_prepared_xacts");
        String jobs = "select string_agg(job::text, ' ' order by job) from ledger";
        assertEquals(site.query("work", jobs), site.query("other", jobs));
        exact();
    }

    @Test
    @DisplayName("What the document shows of the poms stands in those of the samples")
    void poms() {
        assertTrue(Document.of("it/sample/pom.xml")
                .has(SHAPES.section("One EAR").examples().get(0)));
        assertTrue(Document.of("it/sample/war/pom.xml")
                .has(SHAPES.section("Shared").examples().get(0)));
    }

    private static void awaitProgress(String table) throws Exception {
        String done = site.query("select count(*) from " + table);
        site.await("t", "select count(*) > " + done + " from " + table);
    }

    private static void exact() throws Exception {
        assertEquals("t", site.query("select count(*) = count(distinct job) from ledger"));
        assertEquals("t", site.query("select count(*) = count(distinct job) from sent_mail"));
        assertEquals("t", site.query("select coalesce(max(attempt), 1) = 1 from ledger"));
        assertEquals("0", site.query("select count(*) from sluice.dead_letter"));
    }
}
