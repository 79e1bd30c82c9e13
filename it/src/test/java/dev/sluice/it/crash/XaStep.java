package dev.sluice.it.crash;

import dev.sluice.it.FaultProxy;
import java.util.List;

/** A step of a job's transaction: the request that goes to PostgreSQL then, and a job whose transaction has it. */
enum XaStep {
    TAKE("the claim", "work", ".take_1("),
    INSERT("the handler's insert", "work", "insert into ledger"),
    ACKNOWLEDGE("the acknowledgement", "work", "/* sluice:acknowledge */"),
    COMMIT("COMMIT", "work", "COMMIT\0"),
    PREPARE("PREPARE TRANSACTION", "both", "prepare transaction '"),
    COMMIT_PREPARED("COMMIT PREPARED", "both", "commit prepared '"),
    ROLLBACK("ROLLBACK", "failing", "ROLLBACK\0"),
    /** Only what may be prepared without our knowing is rolled back so: the answer to its PREPARE was lost before. */
    ROLLBACK_PREPARED("ROLLBACK PREPARED", "both", "rollback prepared '"),
    OTHER_INSERT("the handler's insert there", "both", "insert into ledger"),
    OTHER_PREPARE("PREPARE TRANSACTION there", "both", "PREPARE TRANSACTION '"),
    OTHER_COMMIT_PREPARED("COMMIT PREPARED there", "both", "COMMIT PREPARED '"),
    OTHER_ROLLBACK("ROLLBACK there", "failing", "ROLLBACK\0");

    private final String title;
    private final String queue;
    private final String request;

    XaStep(String title, String queue, String request) {
        this.title = title;
        this.queue = queue;
        this.request = request;
    }

    /** Of what is in the queue {@code failing} nothing remains but dead letters. */
    boolean fails() {
        return queue.equals("failing");
    }

    /** Whether the handler writes to the other database as well. */
    boolean twoPhase() {
        return !queue.equals("work");
    }

    /** Whether it is a step of the other database's branch. */
    boolean there() {
        return name().startsWith("OTHER_");
    }

    String queue() {
        return queue;
    }

    /** The requests by which the step of this job is known; one after another on one connection. */
    List<List<String>> requests(long job) {
        List<String> insert = List.of(INSERT.request, FaultProxy.bigint(job));
        return switch (this) {
            // only its queue is known yet, in which no other job waits
            case TAKE -> List.of(List.of(request, queue));
            case INSERT, OTHER_INSERT -> List.of(insert);
            // on another connection, since that of the insert is lost
            case ROLLBACK_PREPARED -> List.of(List.of(request));
            default -> List.of(insert, List.of(request));
        };
    }

    @Override
    public String toString() {
        return title;
    }
}
