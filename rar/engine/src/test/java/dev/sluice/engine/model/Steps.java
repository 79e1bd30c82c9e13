package dev.sluice.engine.model;

import java.sql.SQLException;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;

/** All that may happen, and how often it does. */
final class Steps {

    private record Weighted(String name, int upTo, Step step) {}

    private final List<Weighted> all = new ArrayList<>();
    private final Map<String, Integer> happened = new TreeMap<>();
    private int weights;

    Steps() {
        ProducerSteps.addTo(this);
        NodeSteps.addTo(this);
        HandlerSteps.addTo(this);
        RotationSteps.addTo(this);
        PauseSteps.addTo(this);
        add("end a transaction", 40, Steps::end);
    }

    /** @param weight how often it is chosen, in relation to the others */
    void add(String name, int weight, Step step) {
        weights += weight;
        all.add(new Weighted(name, weights, step));
    }

    /** One that is possible now happens; returns what happened. */
    String one(World world, Random random) throws SQLException {
        while (true) {
            int chosen = random.nextInt(weights);
            Weighted step = all.stream()
                    .filter(candidate -> chosen < candidate.upTo())
                    .findFirst()
                    .orElseThrow();
            String what = step.step().run(world, random);
            if (what != null) {
                happened.merge(step.name(), 1, Integer::sum);
                return step.name() + ": " + what;
            }
        }
    }

    /** How often each happened. */
    Map<String, Integer> happened() {
        return happened;
    }

    private static String end(World world, Random random) throws SQLException {
        List<Transaction> open = world.transactions();
        Transaction transaction = open.isEmpty() ? null : open.get(random.nextInt(open.size()));
        if (transaction == null || transaction.busy() || transaction.staysOpen() && transaction.prepared()) {
            return null;
        }
        int how = random.nextInt(100);
        if (!transaction.prepared() && how < 20) {
            return "prepare " + transaction + ": " + transaction.prepare();
        }
        if (transaction.staysOpen()) {
            return null;
        }
        if (how < 55) {
            return "commit " + transaction + ": " + transaction.commit();
        }
        if (how < 98 || transaction.prepared()) {
            transaction.rollback();
            return "roll back " + transaction;
        }
        transaction.breakOff();
        return "connection of " + transaction + " breaks";
    }
}
