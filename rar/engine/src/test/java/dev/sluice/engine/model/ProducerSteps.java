package dev.sluice.engine.model;

import java.sql.SQLException;
import java.time.Duration;
import java.util.List;
import java.util.Random;

/** What producers do: everything but ending what they began. */
final class ProducerSteps {

    /** Longer than what a sweep leaves out of its look at what is due. */
    private static final Duration LONG = Duration.ofSeconds(6);

    private ProducerSteps() {}

    static void addTo(Steps steps) {
        steps.add("enqueue", 15, ProducerSteps::enqueue);
        steps.add("enqueue and commit", 14, ProducerSteps::enqueueAndCommit);
        steps.add("enqueue into a former epoch", 10, ProducerSteps::enqueueLate);
        steps.add("positions are drawn for nothing", 5, ProducerSteps::draw);
        steps.add("enqueue, and take a long time", 1, ProducerSteps::enqueueSlowly);
    }

    /** A producer's transaction, a new one or one that is open; null if there can be none. */
    private static ProducerTransaction some(World world, Random random, boolean another) throws SQLException {
        List<ProducerTransaction> open = world.transactions().stream()
                .filter(transaction -> !transaction.prepared() && transaction instanceof ProducerTransaction)
                .map(ProducerTransaction.class::cast)
                .toList();
        if (!another && !open.isEmpty() && random.nextBoolean()) {
            return open.get(random.nextInt(open.size()));
        }
        Role role = switch (random.nextInt(6)) {
            case 0 -> Role.SERIALIZABLE_PRODUCER;
            case 1 -> Role.REPEATABLE_READ_PRODUCER;
            default -> Role.PRODUCER;
        };
        Session session = world.borrow(role);
        return session == null ? null : new ProducerTransaction(world, session);
    }

    private static String enqueue(World world, Random random) throws SQLException {
        ProducerTransaction producer = some(world, random, false);
        return producer == null ? null : producer.enqueue(random) + ", " + producer;
    }

    private static String enqueueAndCommit(World world, Random random) throws SQLException {
        ProducerTransaction producer = some(world, random, true);
        return producer == null ? null : (producer.enqueue(random) && producer.commit()) + ", " + producer;
    }

    private static String enqueueLate(World world, Random random) throws SQLException {
        ProducerTransaction producer = some(world, random, false);
        if (producer == null) {
            return null;
        }
        int epoch = world.someEpoch(random);
        if (random.nextInt(4) == 0) {
            int family = (epoch - 1) % 3 + 1;
            return producer.scheduleInto(family, random) + ", scheduled_" + family + ", " + producer;
        }
        return producer.insertInto(epoch, random) + ", job_" + epoch + ", " + producer;
    }

    /** As by a large enqueue that is rolled back: afterwards no claim sees by chance what it left behind. */
    private static String draw(World world, Random random) throws SQLException {
        return world.query("select setval('sluice.job_pos', nextval('sluice.job_pos') + 600)");
    }

    private static String enqueueSlowly(World world, Random random) throws SQLException {
        if (random.nextInt(5) != 0 || world.transactions().stream().anyMatch(Transaction::staysOpen)) {
            return null;
        }
        ProducerTransaction producer = some(world, random, true);
        if (producer == null) {
            return null;
        }
        producer.stayOpen(LONG);
        boolean did = producer.enqueue(random)
                && (random.nextBoolean()
                        ? producer.scheduleInto(1 + random.nextInt(3), random)
                        : producer.insertInto(world.someEpoch(random), random));
        return did + ", " + producer;
    }

    /** Fifty thousand at once, or just many. */
    static String enqueueMany(World world, int count, Random random) throws SQLException {
        ProducerTransaction producer = some(world, random, true);
        if (producer == null) {
            return null;
        }
        return "enqueue many: " + (producer.enqueueMany(count, random) && producer.commit()) + ", " + producer;
    }
}
