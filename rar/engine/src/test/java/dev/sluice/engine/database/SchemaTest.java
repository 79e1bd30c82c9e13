package dev.sluice.engine.database;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.api.SluiceException;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SchemaTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "pg_sluice",
                "a\"b",
                "a'b",
                "a$b",
                "${schema}",
                "a\\b",
                "a\nb",
                "a\0b",
                "a\u0085b",
                "x234567890123456789012345678901234567890123456789012345678901234",
                "\u00fc\u00fc\u00fc\u00fc\u00fc\u00fc\u00fc\u00fc\u00fc\u00fc\u00fc\u00fc\u00fc\u00fc\u00fc\u00fc"
                        + "\u00fc\u00fc\u00fc\u00fc\u00fc\u00fc\u00fc\u00fc\u00fc\u00fc\u00fc\u00fc\u00fc\u00fc\u00fc\u00fc"
            })
    @DisplayName("Names that could not be used everywhere are refused, and the error says which can")
    void refused(String name) {
        String message =
                assertThrows(SluiceException.class, () -> new Schema(name)).getMessage();
        assertTrue(message.contains("\"" + name + "\""), message);
        assertTrue(message.contains("1 to 63 bytes"), message);
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "sluice",
                "Jobs-\u00dcn\u00ef",
                "a b",
                "select",
                "a.b",
                "1",
                "a;drop table x--",
                "{schema}",
                "x23456789012345678901234567890123456789012345678901234567890123"
            })
    @DisplayName("Any other name is allowed")
    void allowed(String name) {
        assertEquals("\"" + name + "\"", new Schema(name).quoted());
    }

    @Test
    @DisplayName("Statements name the schema")
    void sql() {
        assertEquals(
                "select \"a b\".f('{1,2}') from \"a b\".t",
                new Schema("a b").sql("select {schema}.f('{1,2}') from {schema}.t"));
    }
}
