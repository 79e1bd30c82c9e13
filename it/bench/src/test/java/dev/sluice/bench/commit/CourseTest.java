package dev.sluice.bench.commit;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.bench.measure.WaitingJobs.Point;
import dev.sluice.bench.measure.WalPosition;
import dev.sluice.bench.measure.WalRecords;
import java.util.List;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

@DisplayName("The course of a handler")
class CourseTest {

    private static final WalPosition ANYWHERE = new WalPosition("0/1");

    private static Turn turn(int jobs, double rate) {
        return new Turn(
                jobs, new Point(10, ANYWHERE, jobs), new Point(11, ANYWHERE, jobs - Math.round(rate)), jobs / rate);
    }

    @Test
    @DisplayName("is told by the median of the turns that count")
    void median() {
        Course course = new Course();
        for (int rate : new int[] {900, 100, 200}) {
            course.count(turn(1_000, rate), new WalRecords(rate, 0, 2));
        }
        assertEquals(200, course.medianRate());
        course.count(turn(1_000, 300), WalRecords.NONE);
        assertEquals(250, course.medianRate());
        assertEquals(List.of(900.0, 100.0, 200.0, 300.0), course.rates());
        assertEquals(1_500, course.measuredJobs());
        assertEquals(new WalRecords(1_200, 0, 6), course.wal());
    }

    @Test
    @DisplayName("gives each job a number of its own, those of turns that do not count too")
    void numbers() {
        Course course = new Course();
        assertEquals(1, course.nextNumber());
        course.ended(turn(700, 500));
        assertEquals(701, course.nextNumber());
        assertEquals(700, course.enqueued());
    }

    @Test
    @DisplayName("learns how large the next backlog has to be")
    void learns() {
        Course course = new Course();
        course.ended(turn(1_000, 800));
        assertEquals(1_600, course.jobsFor(2));
        // over before it could be measured
        course.ended(new Turn(1_600, null, null, 0.5));
        assertEquals(12_800, course.jobsFor(2));
    }

    @Test
    @DisplayName("has no turn measured that was under way too shortly")
    void tooShort() {
        assertTrue(turn(100, 50).measured());
        assertFalse(new Turn(100, new Point(10, ANYWHERE, 90), new Point(10.1, ANYWHERE, 10), 1).measured());
        assertFalse(new Turn(100, null, null, 1).measured());
    }
}
