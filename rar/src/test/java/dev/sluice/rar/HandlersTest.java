package dev.sluice.rar;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertSame;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.api.JobContext;
import dev.sluice.api.JobListener;
import dev.sluice.api.OnJob;
import dev.sluice.api.RawJobListener;
import dev.sluice.engine.queue.Job;
import jakarta.ejb.EJBException;
import jakarta.resource.NotSupportedException;
import java.io.IOException;
import java.time.Instant;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Map;
import java.util.Set;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** Which methods of a bean can be handlers, and how they are called. */
class HandlersTest {

    private static final Job JOB = new Job(1, "work", (short) 2, 1, 7, "kind", "null", 2, false, Instant.EPOCH, 1L);
    private static final JobContext CONTEXT = new ClaimedJob(JOB);

    private static String refusal(Class<?> bean) {
        return assertThrows(NotSupportedException.class, () -> Handlers.of(bean))
                .getMessage();
    }

    public static class Shapes implements JobListener {
        final List<Object> calls = new ArrayList<>();

        @OnJob("nothing")
        public void nothing() {
            calls.add("nothing");
        }

        @OnJob("payload")
        public void payload(String payload) {
            calls.add(payload);
        }

        @OnJob("context")
        public void context(JobContext context) {
            calls.add(context);
        }

        @OnJob("both")
        public void both(String payload, JobContext context) {
            calls.add(payload);
            calls.add(context);
        }

        @OnJob("reversed")
        public void reversed(JobContext context, String payload) {
            calls.add(context);
            calls.add(payload);
        }

        @OnJob("array")
        public void array(Integer[] payload) {
            calls.add(payload);
        }

        @OnJob("returns")
        public String returns() {
            return "ignored";
        }

        public void notAHandler(String one, String two) {}

        private void neither() {}
    }

    @Test
    @DisplayName("A handler takes the payload, the context, both in either order, or nothing")
    void shapes() throws Throwable {
        Handlers handlers = Handlers.of(Shapes.class);
        List<String> kinds = List.of("nothing", "payload", "context", "both", "reversed", "array", "returns");
        assertEquals(Set.copyOf(kinds), handlers.kinds());
        assertEquals(Set.of(), handlers.batchKinds());

        Shapes bean = new Shapes();
        for (String kind : kinds) {
            handlers.of(kind).invoke(bean, List.of(JOB));
        }
        assertEquals(Arrays.asList("nothing", null, CONTEXT, null, CONTEXT, CONTEXT, null, null), bean.calls);
    }

    public static class Batches implements JobListener {
        final List<Object> calls = new ArrayList<>();

        @OnJob("payloads")
        public void payloads(List<? extends Map<String, Integer>> payloads) {
            calls.add(payloads);
        }

        @OnJob("contexts")
        public void contexts(List<JobContext> contexts) {
            calls.add(contexts);
        }

        @OnJob("both")
        public void both(List<JobContext> contexts, List<String> payloads) {
            calls.add(contexts);
            calls.add(payloads);
        }

        @OnJob("raw")
        @SuppressWarnings("rawtypes")
        public void raw(List payloads) {
            calls.add(payloads);
        }

        @OnJob("single")
        public void single(String[] payload) {}
    }

    @Test
    @DisplayName(
            "A handler that takes a list is given the payloads of several jobs, their contexts, or both in one order")
    void batches() throws Throwable {
        Handlers handlers = Handlers.of(Batches.class);
        assertEquals(Set.of("payloads", "contexts", "both", "raw"), handlers.batchKinds());
        Job other = new Job(1, "work", (short) 2, 2, 8, "kind", "null", 0, false, Instant.EPOCH, 1L);
        Batches bean = new Batches();
        for (String kind : List.of("payloads", "contexts", "both", "raw")) {
            handlers.of(kind).invoke(bean, List.of(JOB, other));
        }
        List<Object> nulls = Arrays.asList(null, null);
        List<JobContext> contexts = List.of(CONTEXT, new ClaimedJob(other));
        assertEquals(List.of(nulls, contexts, contexts, nulls, nulls), bean.calls);
    }

    public static class MixedPayload implements JobListener {
        @OnJob("k")
        public void handle(List<String> payloads, JobContext context) {}
    }

    public static class MixedContexts implements JobListener {
        @OnJob("k")
        public void handle(String payload, List<JobContext> contexts) {}
    }

    @Test
    @DisplayName("A handler that takes a list beside something that is none is refused, and told what to take")
    void mixed() {
        for (Class<?> bean : List.of(MixedPayload.class, MixedContexts.class)) {
            assertTrue(refusal(bean).contains("List<JobContext>"), refusal(bean));
        }
    }

    public static class Raw implements RawJobListener {
        Object seen;

        @Override
        public void onJob(dev.sluice.api.Job job) {
            seen = job.payload() + " of " + job.kind();
        }
    }

    public static class RawAndMore extends Raw {
        @OnJob("k")
        public void handle() {}
    }

    @Test
    @DisplayName("A raw listener takes every kind and the payload as it is, and no @OnJob method beside it")
    void raw() throws Throwable {
        Handlers handlers = Handlers.of(Raw.class);
        assertEquals(Set.of(), handlers.kinds());
        assertEquals(1, handlers.all().size());
        Raw bean = new Raw();
        handlers.of("any").invoke(bean, List.of(JOB));
        assertEquals("null of kind", bean.seen);
        assertTrue(refusal(RawAndMore.class).contains("two beans"), refusal(RawAndMore.class));
    }

    @Test
    @DisplayName("The context tells what the handler may know of its job, attempts counted from 1")
    void context() {
        assertEquals(7, CONTEXT.id());
        assertEquals("work", CONTEXT.queue());
        assertEquals("kind", CONTEXT.kind());
        assertEquals(3, CONTEXT.attempt());
        assertEquals(Instant.EPOCH, CONTEXT.enqueuedAt());
    }

    public static class Twice implements JobListener {
        @OnJob("same")
        public void one() {}

        @OnJob("same")
        public void two() {}
    }

    public static class InheritsTwice extends Twice {
        @OnJob("other")
        public void other() {}
    }

    @Test
    @DisplayName("Two methods of one kind are refused by name, also where both are inherited")
    void duplicates() {
        String message = refusal(Twice.class);
        assertTrue(message.contains("\"same\"") && message.contains("one()") && message.contains("two()"), message);
        String inherited = refusal(InheritsTwice.class);
        assertTrue(inherited.contains("\"same\""), inherited);
    }

    public static class PrivateMethod implements JobListener {
        @OnJob("k")
        private void handle() {}
    }

    public static class PackageMethod implements JobListener {
        @OnJob("k")
        void handle() {}
    }

    public static class StaticMethod implements JobListener {
        @OnJob("k")
        public static void handle() {}
    }

    public static class FinalMethod implements JobListener {
        @OnJob("k")
        public final void handle() {}
    }

    @Test
    @DisplayName("Methods that a container's proxy cannot call are refused by name")
    void uncallable() {
        for (Class<?> bean : List.of(PrivateMethod.class, PackageMethod.class, StaticMethod.class, FinalMethod.class)) {
            String message = refusal(bean);
            assertTrue(message.contains("public") && message.contains("handle()"), message);
            assertTrue(message.contains(bean.getName()), message);
        }
    }

    public static class TwoPayloads implements JobListener {
        @OnJob("k")
        public void handle(String one, String two) {}
    }

    public static class TwoContexts implements JobListener {
        @OnJob("k")
        public void handle(JobContext one, JobContext two) {}
    }

    @Test
    @DisplayName("A handler of two payloads or two contexts is refused")
    void tooMuch() {
        assertTrue(refusal(TwoPayloads.class).contains("one payload"), refusal(TwoPayloads.class));
        assertTrue(refusal(TwoContexts.class).contains("one JobContext"), refusal(TwoContexts.class));
    }

    public static class None implements JobListener {
        public void handle() {}
    }

    @Test
    @DisplayName("A bean without any handler is refused by name")
    void none() {
        String message = refusal(None.class);
        assertTrue(message.contains(None.class.getName()) && message.contains("@OnJob"), message);
    }

    public static class Base implements JobListener {
        @OnJob("inherited")
        public void inherited() {}

        @OnJob("overridden")
        public void overridden() {}

        @OnJob("replaced")
        public void old() {}
    }

    public static class Derived extends Base {
        @Override
        @OnJob("overridden")
        public void overridden() {}

        @OnJob("replaced")
        public void replacement() {}
    }

    @Test
    @DisplayName("Handlers are inherited, and the nearest to the bean is taken")
    void inheritance() throws Exception {
        Handlers handlers = Handlers.of(Derived.class);
        assertEquals(Set.of("inherited", "overridden", "replaced"), handlers.kinds());
        assertSame(Base.class, handlers.of("inherited").method().getDeclaringClass());
        assertSame(Derived.class, handlers.of("overridden").method().getDeclaringClass());
        assertEquals("replacement", handlers.of("replaced").method().getName());
    }

    public abstract static class Generic<T> implements JobListener {
        @OnJob("generic")
        public abstract void handle(T payload);
    }

    public static class OfString extends Generic<String> {
        @Override
        @OnJob("generic")
        public void handle(String payload) {}
    }

    @Test
    @DisplayName("Of a generic handler the method with the real type is taken, not its bridge")
    void bridge() throws Exception {
        assertSame(
                String.class, Handlers.of(OfString.class).of("generic").method().getParameterTypes()[0]);
    }

    public static class Failing implements JobListener {
        private final Exception failure;

        Failing(Exception failure) {
            this.failure = failure;
        }

        @OnJob("k")
        public void handle() throws Exception {
            throw failure;
        }
    }

    @Test
    @DisplayName("What a handler throws comes out as it is, without the wrapping of reflection and of the container")
    void failure() throws Exception {
        HandlerMethod handler = Handlers.of(Failing.class).of("k");
        IOException own = new IOException("the handler's own");
        assertSame(own, assertThrows(IOException.class, () -> handler.invoke(new Failing(own), List.of(JOB))));
        EJBException wrapping = new EJBException(own);
        assertSame(own, assertThrows(IOException.class, () -> handler.invoke(new Failing(wrapping), List.of(JOB))));
        EJBException bare = new EJBException("the container's");
        assertSame(bare, assertThrows(EJBException.class, () -> handler.invoke(new Failing(bare), List.of(JOB))));
    }
}
