package dev.sluice.bench.grow;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;

/** The room on disk for an embedded PostgreSQL, whose data are in the folder for temporary files. */
final class Room {

    /** A page is filled by half, and a row has a head and an entry in the index. */
    private static final long BYTES_BESIDE_PAYLOAD = 300;

    private static final long PAGE_PARTS = 2;

    /** What PostgreSQL's log may take between two checkpoints, and a little for others. */
    private static final long RESERVE = 6_000_000_000L;

    private final Path folder = Path.of(System.getProperty("java.io.tmpdir"));
    private final int payloadBytes;

    Room(int payloadBytes) {
        this.payloadBytes = payloadBytes;
    }

    /** Whether so many jobs more fit. */
    boolean allows(long jobs) throws IOException {
        long needed = jobs * (PAGE_PARTS * payloadBytes + BYTES_BESIDE_PAYLOAD) + RESERVE;
        return Files.getFileStore(folder).getUsableSpace() > needed;
    }

    @Override
    public String toString() {
        return folder.toString();
    }
}
