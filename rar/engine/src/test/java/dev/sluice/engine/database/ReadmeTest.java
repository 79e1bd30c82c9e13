package dev.sluice.engine.database;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.Arrays;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class ReadmeTest {

    @Test
    @DisplayName("The README's table of settings is what the settings say of themselves")
    void settings() throws IOException {
        List<String> expected = Arrays.stream(Setting.values())
                .map(setting -> "| `" + setting.key() + "` | `" + setting.variable() + "` | "
                        + (setting.defaultValue() == null ? "" : "`" + setting.defaultValue() + "` ") + "| "
                        + setting.meaning() + " |")
                .toList();
        List<String> actual = Files.readAllLines(Path.of("../../README.md")).stream()
                .filter(line -> line.matches("\\| `\\w+` \\| `SLUICE_.*"))
                .toList();
        assertEquals(String.join("\n", expected), String.join("\n", actual));
    }
}
