package dev.sluice.bench.option;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertThrows;

import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;
import picocli.CommandLine.TypeConversionException;

@DisplayName("Parameters of PostgreSQL")
class ServerParametersTest {

    @Test
    @DisplayName("are read with spaces, quotes, prefixes and lists as values")
    void reads() {
        assertEquals(
                Map.of("fsync", "off", "search_path", "a,b", "auto_explain.log_min_duration", "1 s", "x", ""),
                ServerParameters.parse("fsync=off, search_path='a,b',auto_explain.log_min_duration = 1 s,x=")
                        .values());
        assertEquals(
                Map.of("fsync", "on,,"),
                ServerParameters.parse("fsync=on,,").values(),
                "an empty setting between commas is part of the value before");
    }

    @ParameterizedTest
    @DisplayName("are refused where one is no setting, or would make the server another's")
    @ValueSource(strings = {"", "fsync", "=on", "1a=2", "fsync=on\nport=1", "listen_addresses=*"})
    void refuses(String text) {
        assertThrows(TypeConversionException.class, () -> ServerParameters.parse(text));
    }
}
