package dev.sluice.engine.model;

import dev.sluice.engine.queue.EpochState;
import dev.sluice.engine.queue.Sweep;
import java.sql.PreparedStatement;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.util.List;
import java.util.Locale;
import java.util.Random;

/** What maintenance does, at moments that it would never choose, too. */
final class RotationSteps {

    private RotationSteps() {}

    static void addTo(Steps steps) {
        steps.add("rotation", 34, RotationSteps::rotation);
        steps.add("turn", 5, RotationSteps::turn);
        steps.add("epoch goes back", 2, RotationSteps::setBack);
    }

    /** One call of a function of rotation. */
    record Call(String sql, Object... parameters) {

        String on(Session session) throws SQLException {
            try (PreparedStatement call = session.connection().prepareStatement(sql)) {
                for (int nth = 0; nth < parameters.length; nth++) {
                    call.setObject(nth + 1, parameters[nth]);
                }
                try (ResultSet row = call.executeQuery()) {
                    row.next();
                    return row.getString(1);
                }
            }
        }

        @Override
        public String toString() {
            return sql.substring(sql.indexOf("sluice.")) + List.of(parameters);
        }
    }

    private static Call rotate(String family) {
        return new Call("select sluice.rotate(?, sluice.current_epoch(?))", family, family);
    }

    private static Call empty(String family, int epoch) {
        return new Call("select sluice.empty_epoch(?, ?)", family, epoch);
    }

    private static Call carryOverLeased(int epoch, int most) {
        return new Call("select sluice.carry_over_leased(?, ?)", epoch, most);
    }

    /** One that would not rotate. */
    static Call someMove(World world, Random random) {
        int epoch = world.someEpoch(random);
        int most = random.nextInt(3) == 0 ? 1_000 : 1 + random.nextInt(5);
        return switch (random.nextInt(8)) {
            case 0, 1 -> new Call("select sluice.carry_over(?, ?, ?)", epoch, most, random.nextInt(3) == 0);
            case 2, 3, 4 -> carryOverLeased(world.someLeasedEpoch(random), most);
            case 5 -> new Call("select sluice.carry_over_scheduled(?, ?)", (epoch - 1) % 3 + 1, most);
            case 6 -> empty("scheduled", (epoch - 1) % 3 + 1);
            default -> empty("job", epoch);
        };
    }

    private static Call some(World world, Random random) {
        return switch (random.nextInt(10)) {
            case 0, 1 -> rotate("job");
            case 2 -> rotate("scheduled");
            case 3 -> new Call("select sluice.rotate(?, ?)", "job", world.someEpoch(random));
            default -> someMove(world, random);
        };
    }

    private static String rotation(World world, Random random) throws SQLException {
        Call call = some(world, random);
        RotationTransaction open = world.transactions().stream()
                .filter(transaction -> transaction instanceof RotationTransaction && !transaction.prepared())
                .map(RotationTransaction.class::cast)
                .findFirst()
                .orElse(null);
        if (open != null && random.nextBoolean()) {
            return open.call(call) + ", in a transaction";
        }
        Session session = world.borrow(Role.ROTATION);
        if (session == null) {
            return null;
        }
        if (random.nextInt(4) == 0) {
            return new RotationTransaction(world, session).call(call) + ", begins a transaction";
        }
        try {
            return alone(world, session, call);
        } finally {
            world.giveBack(session);
        }
    }

    /** In a transaction of its own. */
    private static String alone(World world, Session session, Call call) throws SQLException {
        String[] answer = {"did not happen"};
        Attempt.at(() -> answer[0] = call.on(session));
        note(world, call, answer[0]);
        return call + " -> " + answer[0];
    }

    /** Remembers which epoch is current. */
    static void note(World world, Call call, String answer) {
        if (call.sql().contains("rotate")
                && call.parameters()[0].equals("job")
                && answer != null
                && answer.length() == 1) {
            world.wasCurrent(Integer.parseInt(answer));
        }
    }

    private static String turn(World world, Random random) throws SQLException {
        Session session = world.borrow(Role.ROTATION);
        if (session == null) {
            return null;
        }
        try {
            StringBuilder all = new StringBuilder(alone(world, session, rotate("job")));
            if (random.nextBoolean()) {
                int leased = world.someLeasedEpoch(random);
                all.append("; ").append(alone(world, session, carryOverLeased(leased, 1 + random.nextInt(5))));
            }
            if (random.nextInt(3) == 0) {
                all.append("; ").append(alone(world, session, rotate("scheduled")));
            }
            Sweep.Findings findings = world.nodes().get(random.nextInt(2)).findings();
            for (EpochState state : findings == null ? List.<EpochState>of() : findings.epochs()) {
                if (state.bytes() > 0 && random.nextInt(3) == 0) {
                    String family = state.family().name().toLowerCase(Locale.ROOT);
                    all.append("; ").append(alone(world, session, empty(family, state.epoch())));
                }
            }
            return all.toString();
        } finally {
            world.giveBack(session);
        }
    }

    /** What a crash may do. */
    private static String setBack(World world, Random random) throws SQLException {
        if (world.paused() != null || world.transactions().stream().anyMatch(RotationTransaction.class::isInstance)) {
            // a crash would have ended it
            return null;
        }
        int epoch = world.someEpoch(random);
        world.execute("select setval('sluice.job_epoch', " + epoch + ")");
        world.wasCurrent(epoch);
        return String.valueOf(epoch);
    }
}
