package dev.sluice.it;

import java.io.IOException;
import java.io.UncheckedIOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.List;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** A document of the project, whose examples the tests use as they stand there. */
public final class Document {

    private static final Path PROJECT =
            Path.of(System.getProperty("server.config")).getParent();
    private static final Pattern EXAMPLE = Pattern.compile("```xml\\n(.*?)```", Pattern.DOTALL);

    private final String text;

    private Document(String text) {
        this.text = text;
    }

    /** The document of this path below the project's root. */
    public static Document of(String path) {
        return new Document(read(path));
    }

    /** Whether these lines stand there together, however they are indented. */
    public boolean has(String lines) {
        return stripped(text).contains(stripped(lines));
    }

    /** The text from this heading of the second level to the next. */
    public Document section(String heading) {
        return new Document(Stream.of(text.split("(?m)^## "))
                .filter(section -> section.startsWith(heading + "\n"))
                .findFirst()
                .orElseThrow(() -> new AssertionError("no section " + heading)));
    }

    /** The examples of XML, in their order. */
    public List<String> examples() {
        return EXAMPLE.matcher(text).results().map(example -> example.group(1)).toList();
    }

    /** The example of a {@code server.xml}. */
    public String serverXml() {
        return examples().stream()
                .filter(example -> example.startsWith("<server"))
                .findFirst()
                .orElseThrow(() -> new AssertionError("no server.xml"));
    }

    private static String stripped(String lines) {
        return lines.replaceAll("(?m)^\\s+|\\s+$", "");
    }

    private static String read(String path) {
        try {
            return Files.readString(PROJECT.resolve(path));
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
    }
}
