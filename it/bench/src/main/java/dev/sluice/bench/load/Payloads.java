package dev.sluice.bench.load;

import java.util.SplittableRandom;

/** The payloads of the bench's jobs: JSON of the same size, each with the job's number. */
public final class Payloads {

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
        String bare = "{\"number\":" + number + ",\"padding\":\"\"}";
        return "{\"number\":" + number + ",\"padding\":\"" + padding.substring(0, bytes - bare.length()) + "\"}";
    }
}
