package dev.sluice.it;

import dev.sluice.launcher.LibertyServer;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.List;
import java.util.function.Predicate;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** What a server has complained of that is Sluice's affair, over all its runs. */
public final class Complaints {

    private static final Pattern WARNING = Pattern.compile("^\\[.{5,40}] \\S+ \\S+ +[WE] .*");
    private static final Pattern REFUSED_WORK = Pattern.compile("WorkRejected|RejectedExecution|CWWKE120[0-9]W");
    private static final Pattern OURS = Pattern.compile("dev\\.sluice|[Ss]luice");

    /** What {@link dev.sluice.it.app.BrokenJobs} is there for. */
    private static final Pattern BROKEN_ON_PURPOSE = Pattern.compile("BrokenJobs|queue broken");

    /** The health check is asked from before the application runs. */
    private static final Pattern NOT_YET = Pattern.compile("CWMMH005[23]W");

    private Complaints() {}

    /** Warnings and errors of ours or about us, refused work, and incidents (FFDC) with our classes in them. */
    public static List<String> of(LibertyServer server) throws IOException {
        Path logs = server.serverDirectory().resolve("logs");
        List<String> all = new ArrayList<>();
        for (String text : texts(logs, name -> name.matches("messages.*\\.log"))) {
            text.lines().filter(Complaints::complains).forEach(all::add);
        }
        for (String text : texts(logs.resolve("ffdc"), name -> name.startsWith("ffdc"))) {
            if (OURS.matcher(text).find() && !BROKEN_ON_PURPOSE.matcher(text).find()) {
                all.add(text);
            }
        }
        return all;
    }

    private static boolean complains(String line) {
        return (REFUSED_WORK.matcher(line).find()
                        || WARNING.matcher(line).matches() && OURS.matcher(line).find())
                && !BROKEN_ON_PURPOSE.matcher(line).find()
                && !NOT_YET.matcher(line).find();
    }

    private static List<String> texts(Path folder, Predicate<String> name) throws IOException {
        if (!Files.isDirectory(folder)) {
            return List.of();
        }
        List<String> texts = new ArrayList<>();
        try (Stream<Path> files = Files.list(folder)) {
            for (Path file : files.filter(one -> name.test(one.getFileName().toString()))
                    .sorted()
                    .toList()) {
                texts.add(Files.readString(file));
            }
        }
        return texts;
    }
}
