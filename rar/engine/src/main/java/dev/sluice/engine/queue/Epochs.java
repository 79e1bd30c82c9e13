package dev.sluice.engine.queue;

import java.time.Duration;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.Deque;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;

/**
 * Where a node claims: in the epoch that is current, in those where the sweep has seen something wait, and for a moment in
 * the one that was current before; and how far it has come in each. Belongs to one connection of the node: when that breaks
 * the server may have restarted, and positions with it gone back. May be used by several claimers at once.
 */
public final class Epochs {

    static final int TABLES = 6;

    /** Whoever read the number of the old epoch just before it was left has committed after this time, as a rule. */
    private static final long LINGER = Duration.ofSeconds(2).toNanos();

    private static final List<Short> ALL_PRIORITIES = List.of((short) 0, (short) 1, (short) 2, (short) 3);

    private record Claimed(int epoch, String queue) {}

    /** For each choice of kinds apart, since a claim passes over those that it does not take. */
    private final Map<Claimed, Map<Kinds, Position>> positions = new ConcurrentHashMap<>();

    private final Map<Lane, Long> floors = new ConcurrentHashMap<>();
    private volatile List<Lane> leftBehind = List.of();
    /** 0 until a sweep, or a claim, has told. */
    private int current;

    private int left;
    private long leftAt;

    /** One look of a claim: these priorities of a queue in one epoch. */
    final class Look {

        private final int epoch;
        private final List<Short> priorities;
        private final Position position;
        private final Position.Reach reach;
        private final boolean passesBy;

        private Look(int epoch, List<Short> priorities, Position position, boolean passesBy) {
            this.passesBy = passesBy;
            this.epoch = epoch;
            this.priorities = priorities;
            this.position = position;
            this.reach = position.reach();
        }

        int epoch() {
            return epoch;
        }

        Short[] priorities() {
            return priorities.toArray(Short[]::new);
        }

        /** The position behind which to look, for each of the priorities. */
        Long[] after() {
            return priorities.stream().map(priority -> reach.after()[priority]).toArray(Long[]::new);
        }

        /**
         * It brought these jobs.
         *
         * @param all    whether there were no more
         * @param newest the position drawn last
         */
        void brought(List<Job> jobs, boolean all, long newest) {
            for (Job job : jobs) {
                position.claimed(reach, job.priority(), job.pos());
            }
            if (all && passesBy) {
                // those of other kinds may be many, and are not to be walked again before the next sweep
                priorities.forEach(priority -> position.passed(reach, priority, newest));
            }
        }
    }

    /** Where a claim of this queue looks, in this order: by priority, and for each the oldest epoch first. */
    Deque<Look> looks(String queue, Kinds kinds) {
        int now;
        int before;
        synchronized (this) {
            now = Math.max(1, current);
            before = left != 0 && System.nanoTime() - leftAt < LINGER ? left : 0;
        }
        Deque<Look> looks = new ArrayDeque<>();
        int next = 0;
        for (Lane lane : leftBehind) {
            if (!lane.queue().equals(queue) || lane.epoch() == now) {
                continue;
            }
            if (lane.priority() > next) {
                looks.add(look(now, queue, kinds, ALL_PRIORITIES.subList(next, lane.priority())));
                next = lane.priority();
            }
            looks.add(look(lane.epoch(), queue, kinds, List.of(lane.priority())));
        }
        looks.add(look(now, queue, kinds, ALL_PRIORITIES.subList(next, Position.PRIORITIES)));
        if (before != 0) {
            looks.add(look(before, queue, kinds, ALL_PRIORITIES));
        }
        return looks;
    }

    private Look look(int epoch, String queue, Kinds kinds, List<Short> priorities) {
        return new Look(
                epoch,
                priorities,
                positions
                        .computeIfAbsent(new Claimed(epoch, queue), claimed -> new ConcurrentHashMap<>())
                        .computeIfAbsent(kinds, choice -> firstPosition(epoch, queue)),
                !kinds.equals(Kinds.EVERY));
    }

    private Position firstPosition(int epoch, String queue) {
        Position position = new Position();
        for (short priority : ALL_PRIORITIES) {
            long floor = floors.getOrDefault(new Lane(epoch, queue, priority), 0L);
            position.swept(priority, Long.MAX_VALUE, floor);
        }
        return position;
    }

    /**
     * This epoch is current.
     *
     * @return whether that is new to this node, so that there are other places to look
     */
    synchronized boolean current(int epoch) {
        if (epoch == current) {
            return false;
        }
        left = current;
        leftAt = System.nanoTime();
        current = epoch;
        return true;
    }

    /** Where a sweep has seen jobs wait, with the position of the first in each lane. */
    void waiting(Map<Lane, Long> waiting) {
        List<Lane> lanes = new ArrayList<>(waiting.keySet());
        // positions of all epochs are drawn from one sequence, so they tell which lane is the oldest
        lanes.sort(Comparator.comparing(Lane::priority).thenComparing(waiting::get));
        leftBehind = lanes;
    }

    /**
     * What a sweep has seen in a lane.
     *
     * @param first        the position of the first job that waits
     * @param writtenUpTo the position up to which none can turn up any more
     */
    void swept(Lane lane, long first, long writtenUpTo) {
        floors.put(lane, Math.min(first - 1, writtenUpTo));
        positions
                .getOrDefault(new Claimed(lane.epoch(), lane.queue()), Map.of())
                .values()
                .forEach(position -> position.swept(lane.priority(), first, writtenUpTo));
    }
}
