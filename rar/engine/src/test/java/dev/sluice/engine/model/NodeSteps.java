package dev.sluice.engine.model;

import dev.sluice.engine.queue.Job;
import dev.sluice.engine.queue.Kinds;
import dev.sluice.engine.queue.Lane;
import java.sql.SQLException;
import java.util.List;
import java.util.Random;

/** What nodes do on their own connection, and what becomes of them. */
final class NodeSteps {

    private NodeSteps() {}

    static void addTo(Steps steps) {
        steps.add("claim", 35, onNode(NodeSteps::claim));
        steps.add("claim, unheard", 3, onNode(NodeSteps::claimUnheard));
        steps.add("claim alone", 15, onNode(NodeSteps::claimAlone));
        steps.add("sweep", 20, onNode((world, node, random) -> sweep(node, World.QUEUES)));
        steps.add("sweep for one queue", 4, onNode(NodeSteps::sweepOne));
        steps.add("look for rolled back", 20, onNode(NodeSteps::isolate));
        steps.add("rescue", 6, onNode(NodeSteps::rescue));
        steps.add("forget", 3, onNode(NodeSteps::forget));
        steps.add("beat", 2, onNode(NodeSteps::beat));
        steps.add("fall silent", 3, onNode(NodeSteps::fallSilent));
        steps.add("claims grow old", 1, (world, random) -> ageClaims(world));
        steps.add("lose the connection", 1, onNode(NodeSteps::loseConnection));
        steps.add("die", 1, onNode(NodeSteps::die));
    }

    private interface NodeStep {
        String run(World world, ModelNode node, Random random) throws SQLException;
    }

    private static Step onNode(NodeStep step) {
        return (world, random) -> {
            ModelNode node = Step.someNode(world, random);
            String what = node == null ? null : step.run(world, node, random);
            return what == null ? null : what + " by " + node;
        };
    }

    static Kinds kinds(Random random) {
        int which = random.nextInt(8);
        return which < World.KINDS_APART.size() ? World.KINDS_APART.get(which) : Kinds.EVERY;
    }

    static List<Long> ids(List<Job> jobs) {
        return jobs.stream().map(Job::id).toList();
    }

    private static String claim(World world, ModelNode node, Random random) throws SQLException {
        String queue = World.queue(random);
        Kinds kinds = kinds(random);
        int most = 1 + random.nextInt(10);
        List<Job> jobs = List.of();
        int before = node.idle().size();
        boolean did = Attempt.at(() -> node.claim(queue, most, kinds));
        jobs = node.idle().subList(before, node.idle().size());
        return did + ", " + ids(jobs) + " of " + queue;
    }

    private static String claimUnheard(World world, ModelNode node, Random random) throws SQLException {
        String queue = World.queue(random);
        return Attempt.at(() -> node.claimUnheard(queue, 1 + random.nextInt(5))) + ", " + queue;
    }

    private static String claimAlone(World world, ModelNode node, Random random) throws SQLException {
        if (node.findings() == null || node.findings().alone().isEmpty()) {
            return null;
        }
        Lane lane = node.findings().alone().iterator().next();
        return Attempt.at(() -> node.claimAlone(lane.epoch(), lane.queue())) + ", " + lane;
    }

    private static String sweep(ModelNode node, List<String> queues) throws SQLException {
        return String.valueOf(Attempt.at(() -> node.sweep(queues)));
    }

    /** The other has no subscriber for a while. */
    private static String sweepOne(World world, ModelNode node, Random random) throws SQLException {
        String queue = World.queue(random);
        return sweep(node, List.of(queue)) + ", " + queue;
    }

    private static String isolate(World world, ModelNode node, Random random) throws SQLException {
        return node.findings() == null || node.findings().taken().isEmpty()
                ? null
                : String.valueOf(Attempt.at(node::isolate));
    }

    private static String rescue(World world, ModelNode node, Random random) throws SQLException {
        return String.valueOf(Attempt.at(node::rescue));
    }

    private static String forget(World world, ModelNode node, Random random) throws SQLException {
        return String.valueOf(Attempt.at(node::forget));
    }

    private static String beat(World world, ModelNode node, Random random) throws SQLException {
        node.beat();
        return "";
    }

    private static String fallSilent(World world, ModelNode node, Random random) throws SQLException {
        String silence = random.nextInt(4) == 0 ? "1 hour" : "2 min";
        node.growOld(silence);
        return silence;
    }

    private static String ageClaims(World world) throws SQLException {
        return String.valueOf(Attempt.at(() -> world.execute("select age_claims()")));
    }

    private static String loseConnection(World world, ModelNode node, Random random) throws SQLException {
        if (random.nextInt(4) != 0) {
            return null;
        }
        world.breakOff(node.control());
        node.connected();
        return "";
    }

    private static String die(World world, ModelNode node, Random random) throws SQLException {
        if (random.nextInt(3) != 0) {
            return null;
        }
        boolean signsOff = random.nextInt(4) == 0;
        boolean breaksOff = random.nextBoolean();
        world.nodes().set(world.nodes().indexOf(node), node.die(signsOff, breaksOff));
        return (signsOff ? "signed off" : "silent") + (breaksOff ? ", connection broken" : "");
    }
}
