package dev.sluice.it.shared;

import dev.sluice.it.Site;
import dev.sluice.it.app.TestApplication;
import dev.sluice.launcher.LibertyServer;
import java.nio.file.*;
import java.util.Map;
import org.junit.jupiter.api.Test;

class SharedIT {
    @Test
    void probe() throws Exception {
        Path folder = Files.createTempDirectory("shared");
        Path user = TestApplication.write(TestApplication.userEar(), folder);
        try (Site site = Site.open()) {
            site.execute("create table sent_mail (id bigint generated always as identity, job bigint, recipient text)");
            String xml = """
<server>
  <include location="sluice-shared.xml"/>
  <enterpriseApplication id="sluice" name="sluice" location="sluice-shared.ear">
    <classloader classProviderRef="sluice.sluice"/>
  </enterpriseApplication>
  <webApplication id="mail" location="mail.war" contextRoot="/mail">
    <classloader classProviderRef="sluice.sluice"/>
  </webApplication>
  <enterpriseApplication id="user" location="user.ear">
    <classloader classProviderRef="sluice.sluice"/>
  </enterpriseApplication>
</server>
""";
            LibertyServer server = site.server(
                    "a",
                    xml,
                    Map.of(
                            "sluice.rar",
                            TestApplication.module("sluice.rar").toPath(),
                            "sluice-shared.ear",
                            TestApplication.module("sluice-shared.ear").toPath(),
                            "mail.war",
                            TestApplication.module("mail.war").toPath(),
                            "user.ear",
                            user),
                    Map.of());
            server.start();
            site.awaitReady(server);
            System.out.println(
                    "STATUS " + site.get(server, "/sluice/api/status").body());
            System.out.println(
                    "POST " + site.post(server, "/mail/subscribe?recipient=x").body());
            site.execute("select sluice.enqueue('work', 'persist', '{}') from generate_series(1, 20)");
            site.execute("select sluice.enqueue('both', 'enter', '{}') from generate_series(1, 20)");
            site.await("40", "select count(*) from ledger");
            site.await("1", "select count(*) from sent_mail");
        }
    }

    void run(String xml, Map<String, Path> apps, String log) throws Exception {
        Path folder = Files.createTempDirectory("shared");
        try (Site site = Site.open()) {
            site.execute("create table sent_mail (id bigint generated always as identity, job bigint, recipient text)");
            LibertyServer server = site.server(log, xml, apps, Map.of());
            server.startWithoutWaiting();
            Thread.sleep(20000);
            System.out.println(
                    "STATUS " + site.get(server, "/sluice/api/status").body());
            System.out.println(
                    "POST " + site.post(server, "/mail/subscribe?recipient=x").body());
            System.out.println("PROBE " + site.query("select count(*) from sluice.node"));
            System.out.println("PROBE " + site.query("select proacl from pg_proc where proname='pg_control_system'"));
        }
    }

    @Test
    void both() throws Exception {
        run(
                """
<server>
  <include location="sluice-shared.xml"/>
  <enterpriseApplication id="sluice" name="sluice" location="sluice.ear"/>
  <webApplication id="mail" location="mail.war" contextRoot="/mail">
    <classloader classProviderRef="sluice.sluice"/>
  </webApplication>
</server>""",
                Map.of(
                        "sluice.rar",
                        TestApplication.module("sluice.rar").toPath(),
                        "sluice.ear",
                        TestApplication.module("sluice.ear").toPath(),
                        "mail.war",
                        TestApplication.module("mail.war").toPath()),
                "both");
    }

    @Test
    void two() throws Exception {
        run(
                """
<server>
  <include location="sluice.xml"/>
  <enterpriseApplication id="sluice" name="sluice" location="sluice.ear"/>
  <enterpriseApplication id="second" name="second" location="second.ear"/>
</server>""",
                Map.of(
                        "second.ear",
                        TestApplication.module("sluice.ear").toPath(),
                        "sluice.ear",
                        TestApplication.module("sluice.ear").toPath()),
                "two");
    }

    @Test
    void bundled() throws Exception {
        Path folder = Files.createTempDirectory("shared");
        Path api;
        try (var fs =
                FileSystems.newFileSystem(TestApplication.module("sluice.rar").toPath())) {
            api = folder.resolve("sluice-api.jar");
            Files.copy(fs.getPath("sluice-api-0.1.0-SNAPSHOT.jar"), api);
        }
        var war = org.jboss.shrinkwrap.api.ShrinkWrap.createFromZipFile(
                org.jboss.shrinkwrap.api.spec.WebArchive.class, TestApplication.module("mail.war"));
        war.addAsLibrary(api.toFile());
        Path file = folder.resolve("mail.war");
        war.as(org.jboss.shrinkwrap.api.exporter.ZipExporter.class).exportTo(file.toFile(), true);
        run(
                """
<server>
  <include location="sluice-shared.xml"/>
  <enterpriseApplication id="sluice" name="sluice" location="sluice-shared.ear">
    <classloader classProviderRef="sluice.sluice"/>
  </enterpriseApplication>
  <webApplication id="mail" location="mail.war" contextRoot="/mail">
    <classloader classProviderRef="sluice.sluice"/>
  </webApplication>
</server>""",
                Map.of(
                        "sluice.rar",
                        TestApplication.module("sluice.rar").toPath(),
                        "sluice-shared.ear",
                        TestApplication.module("sluice-shared.ear").toPath(),
                        "mail.war",
                        file),
                "bundled");
    }
}
