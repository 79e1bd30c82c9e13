package dev.sluice.rar;

import jakarta.resource.spi.RetryableUnavailableException;
import jakarta.resource.spi.UnavailableException;
import jakarta.resource.spi.work.Work;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;

/**
 * Waits until a bean can be delivered to, then subscribes its endpoint. Containers let no endpoint be created before the
 * application has started; no job is claimed meanwhile.
 */
final class OpeningWork implements Work {

    private static final Logger LOG = System.getLogger(OpeningWork.class.getName());
    private static final long TRY_AGAIN_MILLIS = 1_000;

    private final Endpoint endpoint;
    private volatile boolean released;

    OpeningWork(Endpoint endpoint) {
        this.endpoint = endpoint;
    }

    @Override
    public void run() {
        while (!released && !endpoint.closed()) {
            try {
                endpoint.factory().createEndpoint(null).release();
            } catch (RetryableUnavailableException e) {
                LOG.log(Level.DEBUG, "{0} cannot be delivered to yet: {1}", endpoint, e);
                if (endpoint.awaitClosed(TRY_AGAIN_MILLIS)) {
                    return;
                }
                continue;
            } catch (UnavailableException | RuntimeException e) {
                if (e instanceof UnavailableException refusal && endpoint.deactivates(refusal)) {
                    return;
                }
                // The application has started, but no bean can be made: its jobs fail one by one, and say why.
                LOG.log(Level.WARNING, "{0}: no bean can be made: {1}", endpoint, e.toString());
            }
            endpoint.subscribe();
            return;
        }
    }

    @Override
    public void release() {
        released = true;
    }
}
