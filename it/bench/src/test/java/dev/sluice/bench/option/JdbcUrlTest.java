package dev.sluice.bench.option;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertThrows;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine.TypeConversionException;

@DisplayName("The URL of an existing server")
class JdbcUrlTest {

    @Test
    @DisplayName("gives those of our databases there, with its parameters and without who logs in")
    void ofOtherDatabase() {
        JdbcUrl url = JdbcUrl.parse(
                "jdbc:postgresql://h:5433/db?user=me&sslmode=require&password=a%26b&tcpKeepAlive=true", null, null);
        assertEquals("jdbc:postgresql://h:5433/mine?sslmode=require&tcpKeepAlive=true", url.of("mine"));
        assertEquals("me", url.user());
        assertEquals("a&b", url.password());
        assertEquals(
                "jdbc:postgresql://h/mine",
                JdbcUrl.parse("jdbc:postgresql://h/db?user=a", "", "").of("mine"));
    }

    @ParameterizedTest
    @DisplayName("may name hosts in any way")
    @ValueSource(strings = {"h", "h:1", "127.0.0.1:5432", "[::1]:5432", "a:1,b:2"})
    void hosts(String hosts) {
        JdbcUrl url = JdbcUrl.parse("jdbc:postgresql://" + hosts + "/db", "me", "");
        assertEquals("jdbc:postgresql://" + hosts + "/mine", url.of("mine"));
    }

    @Test
    @DisplayName("is completed by the environment")
    void environment() {
        JdbcUrl url = JdbcUrl.parse("jdbc:postgresql://h/db", "me", "secret");
        assertEquals("me", url.user());
        assertEquals("secret", url.password());
        assertFalse(url.toString().contains("secret"));
    }

    @ParameterizedTest
    @DisplayName("is refused without host, database or role")
    @ValueSource(
            strings = {
                "jdbc:postgresql:db?user=a",
                "jdbc:postgresql://h/?user=a",
                "jdbc:postgresql://h?user=a",
                "jdbc:mysql://h/db?user=a",
                "jdbc:postgresql://h:port/db?user=a",
                "jdbc:postgresql://h/db"
            })
    void refuses(String url) {
        assertThrows(TypeConversionException.class, () -> JdbcUrl.parse(url, null, null));
    }
}
