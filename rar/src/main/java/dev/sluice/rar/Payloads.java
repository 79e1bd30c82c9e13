package dev.sluice.rar;

import dev.sluice.api.JobRefusedException;
import dev.sluice.api.NewJob;
import jakarta.json.bind.Jsonb;
import jakarta.json.bind.JsonbBuilder;
import jakarta.json.bind.JsonbException;
import java.lang.ref.SoftReference;
import java.lang.reflect.Type;
import java.util.Map;
import java.util.WeakHashMap;

/**
 * Payloads as JSON text and back, by the JSON-B of the server, which is found through the class loader of the thread's
 * application: between beforeDelivery and afterDelivery that of the handler (Jakarta Connectors 2.1, section 13.5.6).
 */
final class Payloads {

    /** Making one is costly. Soft, since each knows classes of its application. */
    private static final Map<ClassLoader, SoftReference<Jsonb>> BY_APPLICATION = new WeakHashMap<>();

    private Payloads() {}

    /**
     * Reads a payload.
     *
     * @throws PayloadException if it does not map to the type
     */
    static Object read(String json, Type type) {
        if (type == null || json.equals("null")) {
            return null;
        }
        try {
            return jsonb().fromJson(json, type);
        } catch (RuntimeException e) {
            throw new PayloadException(
                    "the payload does not map to " + type.getTypeName() + ": " + e.getMessage()
                            + ". Correct the payload, or the type that the handler takes",
                    e);
        }
    }

    /**
     * Writes a payload.
     *
     * @throws JobRefusedException if it cannot be written
     */
    static String write(NewJob job) {
        Object payload = job.payload();
        if (payload == null) {
            return "null";
        }
        if (payload instanceof NewJob.Json json) {
            return json.text();
        }
        try {
            return jsonb().toJson(payload);
        } catch (JsonbException | IllegalArgumentException e) {
            throw new JobRefusedException(
                    "The payload of kind \"" + job.kind() + "\" cannot be written as JSON: "
                            + payload.getClass().getName() + ": " + e.getMessage(),
                    e);
        }
    }

    private static Jsonb jsonb() {
        ClassLoader application = Thread.currentThread().getContextClassLoader();
        synchronized (BY_APPLICATION) {
            SoftReference<Jsonb> known = BY_APPLICATION.get(application);
            Jsonb jsonb = known == null ? null : known.get();
            if (jsonb == null) {
                jsonb = JsonbBuilder.create();
                BY_APPLICATION.put(application, new SoftReference<>(jsonb));
            }
            return jsonb;
        }
    }

    /** A payload that the handler cannot be given. */
    static final class PayloadException extends RuntimeException {

        private static final long serialVersionUID = 1L;

        PayloadException(String message, Throwable cause) {
            super(message, cause);
        }
    }
}
