package dev.sluice.bench.load;

import java.util.SplittableRandom;

/** The payloads of the bench's jobs: JSON of the same size, each with the job's number. */
public final class Payloads {

    private static final String NUMBER = "{\"number\":";
    private static final String FAILS = ",\"fails\":true";
    private static final String TAIL = "\"}";

    private final int bytes;
    private final String padding;

    /**
     * @param bytes of a payload, 50 at least
     * @param seed  of the letters that fill it
     */
    public Payloads(int bytes, int seed) {
        this.bytes = bytes;
        StringBuilder letters = new StringBuilder(bytes);
        new SplittableRandom(seed).ints(bytes, 'a', 'z' + 1).forEach(letter -> letters.append((char) letter));
        this.padding = letters.toString();
    }

    /** The size of each. */
    public int bytes() {
        return bytes;
    }

    /** The payload of the job with this number. */
    public String of(long number) {
        return filled(NUMBER + number + ",\"padding\":\"");
    }

    /** The payload of this job, which also says whether its handler is to fail. */
    public String of(PlannedJob job) {
        return job.fails() ? filled(NUMBER + job.number() + FAILS + ",\"padding\":\"") : of(job.number());
    }

    private String filled(String head) {
        return head + padding.substring(0, Math.max(0, bytes - head.length() - TAIL.length())) + TAIL;
    }

    /** The number of the job with this payload. */
    public static long number(String payload) {
        return Long.parseLong(payload, NUMBER.length(), payload.indexOf(',', NUMBER.length()), 10);
    }

    /** Whether the handler of the job with this payload is to fail the first time. */
    public static boolean fails(String payload) {
        return payload.startsWith(FAILS, payload.indexOf(',', NUMBER.length()));
    }
}
