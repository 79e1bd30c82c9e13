package dev.sluice.engine.queue;

import static org.junit.jupiter.api.Assertions.assertEquals;

import java.util.List;
import java.util.Map;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class FloorsTest {

    private static final Floors.Place PLACE = new Floors.Place("job_1", "work", (short) 2);

    private final Floors floors = new Floors();

    private void looked(long mark, List<String> writers, Long first) {
        floors.looked("job_1", mark, writers, List.of(PLACE), first == null ? Map.of() : Map.of(PLACE, first));
    }

    private void assertFloors(long settled, long seen) {
        assertEquals(settled + " " + seen, floors.settled(PLACE) + " " + floors.seen(PLACE));
    }

    @Test
    @DisplayName("Nothing is settled by a first look, and all up to its mark by a second when nobody wrote")
    void twoLooks() {
        looked(100, List.of(), null);
        assertFloors(0, 100);
        looked(200, List.of(), null);
        assertFloors(100, 200);
    }

    @Test
    @DisplayName("A mark settles only when all who wrote at its time have ended")
    void writers() {
        looked(100, List.of("a", "b"), null);
        looked(200, List.of("b", "c"), null);
        assertFloors(0, 200);
        looked(300, List.of("c"), null);
        assertFloors(0, 300);
        looked(400, List.of("d"), null);
        assertFloors(300, 400);
    }

    @Test
    @DisplayName("Who writes for hours keeps what was seen: nothing can turn up before one of them has ended")
    void longWriter() {
        looked(100, List.of("prepared"), null);
        looked(5_000, List.of("prepared"), null);
        assertFloors(0, 5_000);
        looked(6_000, List.of(), null);
        assertFloors(5_000, 6_000);
    }

    @Test
    @DisplayName("A floor stays below the first row that waits")
    void waiting() {
        looked(100, List.of(), 42L);
        assertFloors(0, 41);
        looked(200, List.of(), 42L);
        assertFloors(41, 41);
        looked(300, List.of(), 250L);
        assertFloors(200, 249);
    }

    @Test
    @DisplayName("Positions that have gone back void all that was known of the table")
    void goneBack() {
        looked(100, List.of(), null);
        looked(200, List.of(), null);
        looked(150, List.of(), null);
        assertFloors(0, 0);
        looked(160, List.of(), null);
        assertFloors(0, 160);
    }

    @Test
    @DisplayName("A lane that is looked at for the first time is not settled by what was known of its table")
    void newLane() {
        floors.looked("job_1", 100, List.of(), List.of(), Map.of());
        looked(200, List.of(), null);
        assertFloors(0, 200);
    }

    @Test
    @DisplayName("A lane that a look has left out is known no more: something may have turned up meanwhile")
    void leftOut() {
        looked(100, List.of("a"), null);
        floors.looked("job_1", 100, List.of(), List.of(), Map.of());
        assertFloors(0, 0);
        looked(100, List.of(), 90L);
        assertFloors(0, 89);
    }
}
