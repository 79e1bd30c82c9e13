package dev.sluice.bench.pin;

import dev.sluice.bench.measure.Median;
import dev.sluice.bench.measure.Sample;
import dev.sluice.bench.measure.WalBytes;
import dev.sluice.bench.result.Result;
import dev.sluice.bench.run.DishonestRunException;
import dev.sluice.bench.site.Database;
import java.sql.Connection;
import java.sql.SQLException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.function.Function;
import java.util.function.Predicate;

/** What a run says. Its warm-up is in none of the numbers but those that count jobs. */
final class PinReport {

    private static final double SLIDING_SECONDS = 10;
    private static final double BYTES_AT = 0.7;

    private final PinPlan plan;
    private final Course course;
    private final double begun;
    private final Database database;
    /** From the end of the warm-up to the end of the producers. */
    private final List<Sample> samples;

    PinReport(PinPlan plan, Course course, List<Sample> samples, double begun, Database database) {
        this.plan = plan;
        this.course = course;
        this.begun = begun;
        this.database = database;
        this.samples = samples.stream()
                .filter(sample -> sample.seconds() >= course.controlBegins.seconds()
                        && sample.seconds() <= course.runEnds.seconds())
                .toList();
    }

    void put(Result result) throws SQLException, DishonestRunException {
        requireSeen();
        result.put("enqueued", course.enqueued);
        result.put("done", course.enqueued - course.lost);
        result.put("lost", course.lost);
        result.put("doubled", course.doubled + course.strange);
        result.put("depth_end", course.depthAtEnd);
        result.put("depth_max", Math.max(course.depthAtEnd, most(Sample::depth)));
        putClaims(result);
        putBuffers(result);
        result.put("cold_claim_ms", course.coldClaimMillis, 3);
        result.put("dead_max", most(Sample::deadTuples));
        result.put("dead_end", last(Sample::deadTuples, sample -> true));
        result.put("bytes_max", most(this::bytes));
        result.put("bytes_end", last(this::bytes, sample -> true));
        double at = begun + BYTES_AT * plan.options().seconds();
        result.put("bytes_at_70", last(this::bytes, sample -> sample.seconds() <= at));
        result.put("wal_per_job", walPerJob(), 1);
        result.put("throughput_ratio", rate(course.lastPartBegins, course.runEnds) / controlRate(), 3);
        result.put("idle_statements_per_s", course.idleStatements, 2);
    }

    private void requireSeen() throws DishonestRunException {
        if (course.controlEnds.statements().calls() == 0) {
            throw new DishonestRunException("pg_stat_statements has seen no claim, so its buffers are not known");
        }
        if (course.controlEnds.entries() == course.controlBegins.entries()) {
            throw new DishonestRunException("no job was done before the pin, so there is nothing to compare with");
        }
    }

    private void putClaims(Result result) {
        List<ClaimWindow> control =
                List.of(new ClaimWindow(course.controlBegins.seconds(), course.controlEnds.seconds()));
        List<ClaimWindow> pinned = new ArrayList<>();
        pinned.add(new ClaimWindow(course.lastPartBegins.seconds(), course.nodeDies.seconds()));
        if (course.newNodeSettled != null
                && course.runEnds.seconds() - course.newNodeSettled.seconds() >= SLIDING_SECONDS) {
            pinned.add(new ClaimWindow(course.newNodeSettled.seconds(), course.runEnds.seconds()));
        }
        result.put("claim_p50_control", percentile(control, Sample::claimP50Millis), 3);
        result.put("claim_p99_control", percentile(control, Sample::claimP99Millis), 3);
        result.put("claim_p50_pinned", percentile(pinned, Sample::claimP50Millis), 3);
        result.put("claim_p99_pinned", percentile(pinned, Sample::claimP99Millis), 3);
        // what a node says first after the warm-up is of the warm-up, too
        double from = Math.min(course.controlBegins.seconds() + SLIDING_SECONDS, course.controlEnds.seconds());
        Sample longest = samples.stream()
                .filter(sample -> sample.seconds() >= from && sample.claimMaxMillis() != null)
                .max(Comparator.comparing(Sample::claimMaxMillis))
                .orElse(null);
        result.put("claim_max", longest == null ? Double.NaN : longest.claimMaxMillis(), 3);
        result.put(
                "dead_at_max",
                longest == null ? 0 : last(Sample::deadTuples, sample -> sample.seconds() <= longest.seconds()));
    }

    private double percentile(List<ClaimWindow> windows, Function<Sample, Double> percentile) {
        return Median.of(windows.stream()
                .flatMap(window -> window.readings(samples, percentile).stream())
                .toList());
    }

    /** Of all claims the buffers, those too that found nothing, for each that found something: that flatters nobody. */
    private void putBuffers(Result result) {
        result.put(
                "buffers_control",
                (double) buffers(course.controlBegins, course.controlEnds)
                        / claims(course.controlBegins, course.controlEnds),
                1);
        long buffers = buffers(course.lastPartBegins, course.nodeDies);
        long claims = claims(course.lastPartBegins, course.nodeDies);
        if (course.newNodeSettled != null) {
            buffers += buffers(course.newNodeSettled, course.runEnds);
            claims += claims(course.newNodeSettled, course.runEnds);
        }
        result.put("buffers_pinned", (double) buffers / claims, 1);
    }

    private static long buffers(Mark from, Mark to) {
        return to.statements().since(from.statements()).buffers();
    }

    private static long claims(Mark from, Mark to) {
        return to.claims() - from.claims();
    }

    private double walPerJob() throws SQLException {
        try (Connection connection = database.connect(Database.QUEUE)) {
            return (double) new WalBytes(connection).between(course.controlBegins.wal(), course.controlEnds.wal())
                    / (course.controlEnds.entries() - course.controlBegins.entries());
        }
    }

    private double controlRate() {
        return rate(course.controlBegins, course.controlEnds);
    }

    private static double rate(Mark from, Mark to) {
        return (to.entries() - from.entries()) / (to.seconds() - from.seconds());
    }

    /** Beyond the payloads that wait. */
    private Long bytes(Sample sample) {
        return sample.bytes() == null || sample.depth() == null
                ? null
                : Math.max(0, sample.bytes() - sample.depth() * plan.options().payloadBytes());
    }

    private long most(Function<Sample, Long> value) {
        return samples.stream()
                .map(value)
                .filter(one -> one != null)
                .mapToLong(Long::longValue)
                .max()
                .orElse(0);
    }

    private long last(Function<Sample, Long> value, Predicate<Sample> when) {
        return samples.stream()
                .filter(when)
                .map(value)
                .filter(one -> one != null)
                .reduce((before, after) -> after)
                .orElse(0L);
    }
}
