package dev.sluice.rar.ds;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.lang.reflect.Method;
import java.nio.file.Files;
import java.nio.file.Path;
import java.sql.Connection;
import java.util.Arrays;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class RefusalTest {

    @Test
    @DisplayName("The list in docs/data-sources.md is what is refused, and in the same words")
    void documented() throws IOException {
        List<String> expected = Arrays.stream(Refusal.values())
                .map(refusal -> "| `" + refusal.what() + "` | "
                        + refusal.scope().where() + " | " + refusal.reason() + " | " + refusal.remedy() + " |")
                .toList();
        List<String> actual = Files.readAllLines(Path.of("../docs/data-sources.md")).stream()
                .dropWhile(line -> !line.equals("## What `sluice/ds` refuses"))
                .filter(line -> line.startsWith("| `"))
                .toList();
        assertEquals(String.join("\n", expected), String.join("\n", actual));
    }

    @Test
    @DisplayName("Nothing of java.sql.Connection does what the interface does by default, hints to poolers apart")
    void complete() {
        Set<String> hints = Set.of("beginRequest", "endRequest");
        List<String> inherited = Arrays.stream(ConnectionHandle.class.getMethods())
                .filter(method -> method.getDeclaringClass() == Connection.class)
                .map(Method::getName)
                .filter(name -> !hints.contains(name))
                .toList();
        assertEquals(List.of(), inherited);
    }
}
