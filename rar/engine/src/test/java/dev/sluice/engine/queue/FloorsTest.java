package dev.sluice.engine.queue;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class FloorsTest {

    private static final Floors.Place PLACE = new Floors.Place("job_1", "work", (short) 2);

    private final Floors floors = new Floors();

    private void looked(long mark, List<String> writers, Long first) {
        assertTrue(
                floors.looked("job_1", mark, writers, List.of(PLACE), first == null ? Map.of() : Map.of(PLACE, first)));
    }

    private Set<String> writers() {
        return floors.writers().stream()
                .map(writer -> writer.name() + " " + writer.begunAfter())
                .collect(Collectors.toCollection(TreeSet::new));
    }

    @Test
    @DisplayName("A floor is the mark of the last look, or just below the first row that waits")
    void floor() {
        assertEquals(0, floors.floor(PLACE));
        looked(100, List.of(), null);
        assertEquals(100, floors.floor(PLACE));
        looked(200, List.of(), 42L);
        assertEquals(41, floors.floor(PLACE));
    }

    @Test
    @DisplayName("A writer has written behind the mark of the look before the first that saw it")
    void writersBegin() {
        looked(100, List.of("a"), null);
        assertEquals(Set.of("a 0"), writers(), "nothing is known of who was there before");
        looked(200, List.of("a", "b"), null);
        assertEquals(Set.of("a 0", "b 100"), writers());
        looked(300, List.of("b", "c"), null);
        assertEquals(Set.of("b 100", "c 200"), writers());
        assertEquals(300, floors.floor(PLACE));
        assertEquals(100, floors.writtenUpTo("job_1"));
        looked(400, List.of(), null);
        assertEquals(400, floors.writtenUpTo("job_1"));
    }

    @Test
    @DisplayName("Positions that have gone back void all that was known of the table")
    void goneBack() {
        looked(100, List.of("a"), null);
        looked(200, List.of("a", "b"), null);
        assertFalse(floors.looked("job_1", 150, List.of("b"), List.of(PLACE), Map.of()));
        assertEquals(0, floors.floor(PLACE));
        assertEquals(Set.of("b 0"), writers());
        looked(160, List.of("c"), null);
        assertEquals(160, floors.floor(PLACE));
        assertEquals(Set.of("c 150"), writers());
    }

    @Test
    @DisplayName("A lane that a look has left out is known no more: something may have turned up meanwhile")
    void leftOut() {
        looked(100, List.of("a"), null);
        floors.looked("job_1", 100, List.of(), List.of(), Map.of());
        assertEquals(0, floors.floor(PLACE));
        looked(100, List.of(), 90L);
        assertEquals(89, floors.floor(PLACE));
    }

    @Test
    @DisplayName("Tables know nothing of each other")
    void tables() {
        looked(100, List.of("job_1 a"), null);
        floors.looked("job_2", 200, List.of("job_2 a"), List.of(), Map.of());
        assertEquals(100, floors.floor(PLACE));
        assertEquals(Set.of("job_1 a 0", "job_2 a 0"), writers());
    }
}
