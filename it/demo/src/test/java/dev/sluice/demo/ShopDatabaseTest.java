package dev.sluice.demo;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class ShopDatabaseTest {

    @Test
    @DisplayName("Settings of a postgresql.conf are read without comments and quotes")
    void readsSettings() throws Exception {
        String configuration = """
                # a comment
                max_prepared_transactions = 100   # another

                shared_preload_libraries = 'a,b'
                wal_level=logical
                """;

        assertEquals(
                Map.of("max_prepared_transactions", "100", "shared_preload_libraries", "a,b", "wal_level", "logical"),
                ShopDatabase.recommendedSettings(configuration));
    }
}
