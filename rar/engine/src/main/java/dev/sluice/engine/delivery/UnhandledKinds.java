package dev.sluice.engine.delivery;

import dev.sluice.engine.queue.Job;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;

/**
 * Says, now and then, which kinds of job this node has no handler for. A rolling deployment has old nodes, so it is an
 * error only when nobody has taken the job for long.
 */
final class UnhandledKinds {

    private static final Logger LOG = System.getLogger(UnhandledKinds.class.getName());
    private static final Duration EVERY = Duration.ofMinutes(1);
    private static final Duration LONG = Duration.ofMinutes(5);

    private record Kind(String queue, String name) {}

    private static final class Seen {
        private long firstAt = System.nanoTime();
        private long lastAt = firstAt;
        private long saidAt = firstAt - EVERY.toNanos();
    }

    private final Map<Kind, Seen> kinds = new HashMap<>();

    synchronized void saw(Job job) {
        long now = System.nanoTime();
        Seen seen = kinds.computeIfAbsent(new Kind(job.queue(), job.kind()), kind -> new Seen());
        if (now - seen.lastAt > EVERY.toNanos()) {
            // taken by somebody meanwhile, this is another one
            seen.firstAt = now;
        }
        seen.lastAt = now;
        if (now - seen.saidAt < EVERY.toNanos()) {
            return;
        }
        seen.saidAt = now;
        boolean longSince = now - seen.firstAt > LONG.toNanos();
        LOG.log(
                longSince ? Level.ERROR : Level.WARNING,
                "Queue {0} has jobs of kind \"{1}\", and no @OnJob(\"{1}\") method of this node handles them; they wait for a"
                        + " node that has one{2}",
                job.queue(),
                job.kind(),
                longSince ? ", which none has for over 5 minutes: deploy a handler, or correct the kind" : "");
    }
}
