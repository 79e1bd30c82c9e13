package dev.sluice.bench.result;

import dev.sluice.bench.measure.Sample;
import java.util.List;
import java.util.Locale;

/** Samples as comma-separated values (RFC 4180), a row a second; what could not be seen is empty. */
final class SampleTable {

    private static final String HEADER =
            "seconds,phase,depth,claim_p50_ms,claim_p99_ms,claim_max_ms,dead_tuples,bytes,permits,entries,jobs_per_s\n";

    private SampleTable() {}

    static String csv(List<Sample> samples) {
        StringBuilder table = new StringBuilder(HEADER);
        for (Sample sample : samples) {
            table.append(String.join(
                            ",",
                            number(sample.seconds(), 1),
                            quoted(sample.phase()),
                            number(sample.depth()),
                            number(sample.claimP50Millis(), 3),
                            number(sample.claimP99Millis(), 3),
                            number(sample.claimMaxMillis(), 3),
                            number(sample.deadTuples()),
                            number(sample.bytes()),
                            number(sample.permits()),
                            number(sample.entries()),
                            number(sample.jobsPerSecond(), 1)))
                    .append('\n');
        }
        return table.toString();
    }

    private static String quoted(String text) {
        return '"' + text.replace("\"", "\"\"") + '"';
    }

    private static String number(Long value) {
        return value == null ? "" : value.toString();
    }

    private static String number(Double value, int digits) {
        return value == null ? "" : String.format(Locale.ROOT, "%." + digits + "f", value);
    }
}
