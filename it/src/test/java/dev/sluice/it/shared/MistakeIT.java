package dev.sluice.it.shared;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.it.Site;
import dev.sluice.it.app.TestApplication;
import dev.sluice.launcher.LibertyServer;
import java.nio.file.FileSystem;
import java.nio.file.FileSystems;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jboss.shrinkwrap.api.ShrinkWrap;
import org.jboss.shrinkwrap.api.spec.EnterpriseArchive;
import org.jboss.shrinkwrap.api.spec.WebArchive;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

class MistakeIT {

    private static final Duration LIMIT = Duration.ofSeconds(60);

    /** With a place for one more application. */
    private static final String SERVER_XML = """
            <server>
              <include location="sluice-shared.xml"/>
              <enterpriseApplication id="sluice" name="sluice" location="sluice-shared.ear">
                <classloader classProviderRef="sluice.sluice"/>
              </enterpriseApplication>
              <webApplication id="mail" location="mail.war">
                <classloader classProviderRef="sluice.sluice"/>
              </webApplication>
              <!-- one of its own schema, which is in order -->
              <enterpriseApplication id="apart" name="apart" location="adapter.ear">
                <resourceAdapter id="sluice"><properties.apart.sluice schema="apart"/></resourceAdapter>
              </enterpriseApplication>
              %s
            </server>
            """;

    private static final String SECOND =
            "<enterpriseApplication id=\"second\" name=\"second\" location=\"adapter.ear\"/>";

    /** Without classProviderRef. */
    private static final String BLIND = "<webApplication id=\"blind\" location=\"blind.war\"/>";

    @TempDir
    Path folder;

    @Test
    @DisplayName(
            "Two adapters with one schema and an application with a copy of the API are named, with the remedy; an"
                    + " adapter with a schema of its own is not; the server goes on, and the warning goes with the second adapter")
    void named() throws Exception {
        try (Site site = Site.open()) {
            LibertyServer server = site.server(
                    "mistake",
                    SERVER_XML.formatted(SECOND),
                    Map.of(
                            "sluice.rar", TestApplication.module("sluice.rar").toPath(),
                            "sluice-shared.ear",
                                    TestApplication.module("sluice-shared.ear").toPath(),
                            "adapter.ear", adapterAlone(),
                            "mail.war", withApi(),
                            "blind.war", TestApplication.module("mail.war").toPath()),
                    Map.of());
            server.startWithoutWaiting();
            site.awaitReady(server);

            String copy = server.awaitMessage("has a copy of Sluice's API", LIMIT);
            assertTrue(copy.contains("MailJobs") && copy.contains("sluice-api.jar") && copy.contains("provided"), copy);

            String warning = server.awaitMessage("Two adapters of this server", LIMIT);
            assertTrue(
                    warning.contains("schema sluice ")
                            && warning.contains("/sluice.sluice/")
                            && warning.contains("/second/")
                            && warning.contains("give each a schema of its own"),
                    warning);
            awaitHealth(site, server, true);
            String health = site.get(server, "/health/ready").body();
            assertFalse(health.contains("/apart/"), health);
            assertEquals(200, site.readiness(server), "jobs are delivered all the same");

            Files.writeString(server.serverDirectory().resolve("server.xml"), SERVER_XML.formatted(BLIND));
            awaitHealth(site, server, false);
            server.awaitMessage("CWWKZ0002E: .*blind.*NoClassDefFoundError: dev/sluice/api/", LIMIT);
        }
    }

    private static void awaitHealth(Site site, LibertyServer server, boolean two) throws Exception {
        long until = System.nanoTime() + LIMIT.toNanos();
        String body = site.get(server, "/health/ready").body();
        while (body.contains("Two adapters") != two) {
            assertTrue(System.nanoTime() - until < 0, body);
            TimeUnit.MILLISECONDS.sleep(100);
            body = site.get(server, "/health/ready").body();
        }
    }

    private Path adapterAlone() {
        return TestApplication.write(
                ShrinkWrap.create(EnterpriseArchive.class, "adapter.ear")
                        .addAsModule(TestApplication.module("sluice.rar")),
                folder);
    }

    /** The sample's WAR, with the API that it should not have. */
    private Path withApi() throws Exception {
        Path api = folder.resolve("sluice-api.jar");
        try (FileSystem adapter = FileSystems.newFileSystem(
                        TestApplication.module("sluice.rar").toPath());
                var files = Files.list(adapter.getPath("/"))) {
            Path inside = files.filter(file -> file.toString().contains("sluice-api"))
                    .findFirst()
                    .orElseThrow();
            Files.copy(inside, api);
        }
        return TestApplication.write(
                ShrinkWrap.createFromZipFile(WebArchive.class, TestApplication.module("mail.war"))
                        .addAsLibrary(api.toFile()),
                folder);
    }
}
