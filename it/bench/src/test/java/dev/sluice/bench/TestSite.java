package dev.sluice.bench;

import dev.sluice.bench.option.CommonOptions;
import dev.sluice.bench.site.Site;
import java.net.URLEncoder;
import java.nio.charset.StandardCharsets;
import java.nio.file.Path;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

/** The site of a run on the PostgreSQL of the tests. */
public final class TestSite {

    @Command
    private static final class Anything {
        @Mixin
        private CommonOptions options;
    }

    private TestSite() {}

    /** To be closed by the test. */
    public static Site open() throws Exception {
        Anything command = new Anything();
        String password = URLEncoder.encode(TestPostgres.PASSWORD, StandardCharsets.UTF_8);
        new CommandLine(command)
                .parseArgs("--url", TestPostgres.SERVER.jdbcUrl("postgres") + "?user=postgres&password=" + password);
        return Site.open(command.options, null, Path.of("target"));
    }
}
