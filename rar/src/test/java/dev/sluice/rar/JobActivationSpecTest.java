package dev.sluice.rar;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.engine.queue.RetryPolicy;
import jakarta.resource.ResourceException;
import jakarta.resource.spi.InvalidPropertyException;
import java.io.ByteArrayInputStream;
import java.io.ByteArrayOutputStream;
import java.io.ObjectInputStream;
import java.io.ObjectOutputStream;
import java.time.Duration;
import java.util.function.Consumer;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class JobActivationSpecTest {

    private static void refused(Consumer<JobActivationSpec> setting, String... parts) {
        JobActivationSpec spec = new JobActivationSpec();
        setting.accept(spec);
        String message =
                assertThrows(InvalidPropertyException.class, spec::validate).getMessage();
        for (String part : parts) {
            assertTrue(message.contains(part), message);
        }
    }

    private static void allowed(Consumer<JobActivationSpec> setting) {
        JobActivationSpec spec = new JobActivationSpec();
        setting.accept(spec);
        assertDoesNotThrow(spec::validate);
    }

    @Test
    @DisplayName("The defaults are valid, and leave the queue's retry policy as it is")
    void defaults() {
        allowed(spec -> {});
        JobActivationSpec spec = new JobActivationSpec();
        assertEquals("default", spec.getQueue());
        assertEquals("leased", spec.getMode());
        assertEquals(16, spec.getConcurrency());
        assertEquals(10, spec.getBatch());
        assertEquals(new RetryPolicy(null, null, null), spec.retryPolicy());
    }

    @ParameterizedTest
    @ValueSource(strings = {"", " ", "\t"})
    @DisplayName("An empty queue is refused")
    void queue(String queue) {
        refused(spec -> spec.setQueue(queue), "queue");
        refused(spec -> spec.setQueue(null), "queue");
    }

    @Test
    @DisplayName("A mode that there is not is refused with its name and those that there are")
    void mode() {
        refused(spec -> spec.setMode("Leased"), "mode", "leased or transactional", "\"Leased\"");
        refused(spec -> spec.setMode(null), "mode", "leased");
        allowed(spec -> spec.setMode("transactional"));
    }

    @Test
    @DisplayName("A number out of its range is refused with the property, the range and the value")
    void numbers() {
        refused(spec -> spec.setConcurrency(0), "concurrency", "1 to 1000", "not 0");
        refused(spec -> spec.setConcurrency(1_001), "concurrency", "not 1001");
        refused(spec -> spec.setBatch(0), "batch", "1 to 1000", "not 0");
        refused(spec -> spec.setBatch(1_001), "batch", "not 1001");
        refused(spec -> spec.setMaxAttempts(0), "maxAttempts", "not 0");
        refused(spec -> spec.setMaxAttempts(1_000_001), "maxAttempts", "not 1000001");
        refused(spec -> spec.setBackoffMillis(-1), "backoffMillis", "not -1");
        refused(spec -> spec.setBackoffCapMillis(-1), "backoffCapMillis", "not -1");
        allowed(spec -> spec.setConcurrency(1));
        allowed(spec -> spec.setConcurrency(1_000));
        allowed(spec -> spec.setBatch(1));
        allowed(spec -> spec.setBatch(1_000));
        allowed(spec -> spec.setMaxAttempts(1));
        allowed(spec -> spec.setMaxAttempts(1_000_000));
        allowed(spec -> spec.setBackoffMillis(0));
        allowed(spec -> spec.setBackoffCapMillis(0));
    }

    @Test
    @DisplayName("Numbers that are needed and were set to nothing are refused; the retry policy needs none")
    void nulls() {
        refused(spec -> spec.setConcurrency(null), "concurrency");
        refused(spec -> spec.setBatch(null), "batch");
        allowed(spec -> {
            spec.setMaxAttempts(null);
            spec.setBackoffMillis(null);
            spec.setBackoffCapMillis(null);
        });
    }

    @Test
    @DisplayName("The retry policy is what was set, in milliseconds")
    void retryPolicy() {
        JobActivationSpec spec = new JobActivationSpec();
        spec.setMaxAttempts(3);
        spec.setBackoffMillis(1_500);
        spec.setBackoffCapMillis(60_000);
        assertEquals(new RetryPolicy(3, Duration.ofMillis(1_500), Duration.ofMinutes(1)), spec.retryPolicy());
    }

    @Test
    @DisplayName("The adapter is set once")
    void adapter() throws ResourceException {
        JobActivationSpec spec = new JobActivationSpec();
        assertNull(spec.getResourceAdapter());
        SluiceResourceAdapter adapter = new SluiceResourceAdapter();
        spec.setResourceAdapter(adapter);
        assertEquals(adapter, spec.getResourceAdapter());
        assertThrows(ResourceException.class, () -> spec.setResourceAdapter(new SluiceResourceAdapter()));
    }

    @Test
    @DisplayName("A container may write an activation down and read it again")
    void serializable() throws Exception {
        JobActivationSpec spec = new JobActivationSpec();
        spec.setQueue("mail");
        spec.setConcurrency(3);
        spec.setResourceAdapter(new SluiceResourceAdapter());
        ByteArrayOutputStream bytes = new ByteArrayOutputStream();
        try (ObjectOutputStream out = new ObjectOutputStream(bytes)) {
            out.writeObject(spec);
        }
        try (ObjectInputStream in = new ObjectInputStream(new ByteArrayInputStream(bytes.toByteArray()))) {
            JobActivationSpec read = (JobActivationSpec) in.readObject();
            assertEquals("mail", read.getQueue());
            assertEquals(3, read.getConcurrency());
            assertNull(read.getResourceAdapter());
        }
    }
}
