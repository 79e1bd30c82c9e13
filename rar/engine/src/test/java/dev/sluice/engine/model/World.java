package dev.sluice.engine.model;

import dev.sluice.engine.PostgresVersion;
import dev.sluice.engine.QueueFixture;
import dev.sluice.engine.database.Schema;
import dev.sluice.engine.queue.Job;
import dev.sluice.engine.queue.Kinds;
import dev.sluice.launcher.PostgresServer;
import dev.sluice.launcher.StopMode;
import java.sql.Connection;
import java.sql.DriverManager;
import java.sql.ResultSet;
import java.sql.SQLException;
import java.sql.Statement;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.Deque;
import java.util.EnumMap;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Properties;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.ExecutorService;
import java.util.concurrent.Executors;

/** A PostgreSQL, the sessions of all who work with it, the nodes, and what is expected of them. */
final class World implements AutoCloseable {

    static final Schema SCHEMA = new Schema("sluice");

    static final List<String> QUEUES = List.of("mail", "print");

    private static final List<String> KINDS = List.of("a", "b");

    /** What two subscribers of a queue claim, who share its kinds. */
    static final List<Kinds> KINDS_APART = List.of(Kinds.only(Set.of("a")), Kinds.except(Set.of("a")));

    /** Jobs may fail as often as they like, and are due again at once. */
    private static final String SET_UP = """
            create role serializable superuser login;
            alter role serializable set default_transaction_isolation = 'serializable';
            create role repeatable_read superuser login;
            alter role repeatable_read set default_transaction_isolation = 'repeatable read';
            create table ledger (job bigint);
            select sluice.define_queue(queue, 1000000000, '1 ms', '1 ms') from unnest('{mail,print}'::text[]) queue;
            """;

    /**
     * Places where a statement can be stopped: before anything is changed in a table of ours, with the snapshot that is
     * taken then, and between the two looks of empty_epoch.
     */
    private static final String PLACES = """
            create function pause() returns void language plpgsql set lock_timeout = 0 as $$
            begin
              perform set_config('model.pause', (current_setting('model.pause')::int - 1)::text, true);
              if current_setting('model.pause') = '0' then
                perform pg_advisory_lock_shared(%1$s), pg_advisory_unlock_shared(%1$s);
              end if;
            end $$;
            create function pause_before() returns trigger language plpgsql as $$
            begin
              perform public.pause();
              return null;
            end $$;
            do $$
            declare
              place text;
            begin
              for place in
                select name || n from unnest('{job_,claim_}'::text[]) name, generate_series(1, 6) n
                union all select 'scheduled_' || n from generate_series(1, 3) n
              loop
                execute format('create trigger pause_before before insert or update or delete on sluice.%%I'
                  ' for each statement when (current_setting(''model.pause'', true) > ''0'')'
                  ' execute function pause_before()', place);
              end loop;
            end $$;
            alter function sluice.snapshot_holder() rename to snapshot_holder_itself;
            create function sluice.snapshot_holder() returns text language plpgsql as $$
            begin
              if current_setting('model.pause', true) > '0' then
                perform public.pause();
              end if;
              return sluice.snapshot_holder_itself();
            end $$;
            """.formatted(Paused.KEY);

    /** What is there to be seen, and whether something that waits at or below a position could be claimed at once. */
    private static final String REMAINS = """
            create function remains(at_or_below bigint)
            returns table (jobs bigint, claims bigint, scheduled bigint, dead bigint, passed_by bigint, due_in interval)
            language plpgsql as $$
            begin
              select count(*) into jobs from sluice.job;
              select count(*) into claims from sluice.claim;
              select count(*), max(run_at) - clock_timestamp() into scheduled, due_in from sluice.scheduled;
              select count(*) into dead from sluice.dead_letter;
              passed_by := 0;
              if jobs > 0 then
                select count(*) into passed_by from (
                  %s) waiting where pos <= at_or_below;
              end if;
              return next;
            end $$;
            create function age_claims() returns void language plpgsql as $$
            begin
              %s
            end $$;
            """.formatted(
            eachEpoch("select pos from sluice.job_%d where lease is null and not alone and xmax = 0", " union all "),
            eachEpoch("update sluice.claim_%d set claimed_at = claimed_at - interval '1 min';", "\n"));

    private final PostgresServer server;
    private final QueueFixture fixture;
    private final ExecutorService thread = Executors.newSingleThreadExecutor();
    private final Expectation expectation = new Expectation();
    private final Map<Role, Deque<Session>> idle = new EnumMap<>(Role.class);
    private final Map<Session, Role> roles = new HashMap<>();
    private final List<Transaction> transactions = new ArrayList<>();
    private final List<ModelNode> nodes = new ArrayList<>();
    private final List<Integer> formerEpochs = new ArrayList<>(List.of(1));
    private final Session observer;
    private Paused paused;
    private int gids;

    World() throws SQLException {
        server = PostgresVersion.standard()
                .builder()
                .setting("fsync", "off")
                .setting("full_page_writes", "off")
                // TRUNCATE looks through all of them
                .setting("shared_buffers", "16MB")
                .start();
        fixture = new QueueFixture(server);
        observer = session("postgres");
        execute(SET_UP);
        execute(PLACES);
        execute(REMAINS);
        for (Role role : Role.values()) {
            idle.put(role, new ArrayDeque<>());
            for (int i = 0; i < role.sessions(); i++) {
                Session session = session(role.user());
                roles.put(session, role);
                idle.get(role).add(session);
            }
        }
        for (int number = 1; number <= 2; number++) {
            nodes.add(new ModelNode(this, number, session("postgres")));
        }
    }

    private static String eachEpoch(String statement, String between) {
        StringBuilder all = new StringBuilder();
        for (int epoch = 1; epoch <= 6; epoch++) {
            all.append(epoch == 1 ? "" : between).append(statement.formatted(epoch));
        }
        return all.toString();
    }

    private Session session(String user) throws SQLException {
        Properties properties = new Properties();
        properties.setProperty("user", user);
        properties.setProperty("options", "-c lock_timeout=5 -c statement_timeout=60000");
        return new Session(() -> DriverManager.getConnection(fixture.url(), properties));
    }

    /** As a rule the first, so that claims find what was enqueued. */
    static String queue(Random random) {
        return QUEUES.get(random.nextInt(5) == 0 ? 1 : 0);
    }

    static String kind(Random random) {
        return KINDS.get(random.nextInt(KINDS.size()));
    }

    Expectation expectation() {
        return expectation;
    }

    List<ModelNode> nodes() {
        return nodes;
    }

    /** Those that are open, or prepared. */
    List<Transaction> transactions() {
        return transactions;
    }

    void opened(Transaction transaction) {
        transactions.add(transaction);
    }

    void ended(Transaction transaction) {
        transactions.remove(transaction);
    }

    String newGid() {
        return "model " + ++gids;
    }

    /** An idle session; null if all are in use. */
    Session borrow(Role role) {
        return idle.get(role).poll();
    }

    void giveBack(Session session) {
        idle.get(roles.get(session)).add(session);
    }

    /** Runs a statement in a transaction of its own. */
    void execute(String sql) throws SQLException {
        observer.execute(sql);
    }

    /** The first column of the first row; null without one. */
    String query(String sql) throws SQLException {
        try (Statement statement = observer().createStatement();
                ResultSet row = statement.executeQuery(sql)) {
            return row.next() ? row.getString(1) : null;
        }
    }

    Connection observer() {
        return observer.connection();
    }

    /** The client of this session is gone; waits until PostgreSQL has noticed, and opens it again. */
    void breakOff(Session session) throws SQLException {
        int backend = session.breakOff();
        while (query("select 1 from pg_stat_activity where pid = " + backend) != null) {
            Thread.onSpinWait();
        }
        session.reopen();
    }

    /** What is stopped half way; null if nothing is. */
    Paused paused() {
        return paused;
    }

    /** Begins a statement that is stopped half way, if it comes to so many places. */
    void pause(Session session, int place, Attempt.Action statement, Runnable after) throws SQLException {
        paused = Paused.begin(this, thread, session, place, statement, after);
    }

    void goOn() throws SQLException {
        Paused waiting = paused;
        paused = null;
        waiting.goOn();
    }

    /** Some epoch; as a rule the one that was left last, or one of those before. */
    int someEpoch(Random random) {
        return switch (random.nextInt(8)) {
            case 0 -> 1 + random.nextInt(6);
            case 1, 2, 3 -> formerEpochs.get(random.nextInt(formerEpochs.size()));
            default -> formerEpochs.get(Math.max(0, formerEpochs.size() - 2));
        };
    }

    /** As a rule one in which a node has leased a job. */
    int someLeasedEpoch(Random random) {
        List<Job> leased = nodes.stream().flatMap(node -> node.idle().stream()).toList();
        return leased.isEmpty() || random.nextInt(4) == 0
                ? someEpoch(random)
                : leased.get(random.nextInt(leased.size())).epoch();
    }

    void wasCurrent(int epoch) {
        formerEpochs.remove((Integer) epoch);
        formerEpochs.add(epoch);
        if (formerEpochs.size() > 3) {
            formerEpochs.remove(0);
        }
    }

    /** PostgreSQL crashes, and is there again. */
    void restart() throws SQLException {
        server.restart(StopMode.IMMEDIATE);
        observer.reopen();
        for (Transaction transaction : List.copyOf(transactions)) {
            if (!transaction.prepared()) {
                transaction.lost();
            }
        }
        for (Deque<Session> sessions : idle.values()) {
            for (Session session : sessions) {
                session.reopen();
            }
        }
        for (ModelNode node : nodes) {
            node.reconnect();
        }
    }

    @Override
    public void close() throws Exception {
        thread.shutdownNow();
        server.close();
    }
}
