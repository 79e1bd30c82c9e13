package dev.sluice.rar;

import dev.sluice.engine.Engine;
import dev.sluice.engine.database.DriverRegistration;
import dev.sluice.engine.database.Setting;
import dev.sluice.engine.database.Settings;
import dev.sluice.engine.xa.RecoveryXAResource;
import jakarta.resource.ResourceException;
import jakarta.resource.spi.ActivationSpec;
import jakarta.resource.spi.BootstrapContext;
import jakarta.resource.spi.ResourceAdapter;
import jakarta.resource.spi.endpoint.MessageEndpointFactory;
import jakarta.transaction.TransactionSynchronizationRegistry;
import java.lang.System.Logger;
import java.lang.System.Logger.Level;
import java.time.Duration;
import java.util.EnumMap;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import javax.transaction.xa.XAResource;

/**
 * The adapter. Its properties are the {@link Setting settings}; they may be set late, so that nothing here fails for want
 * of them or of the database: the engine waits for both.
 */
public final class SluiceResourceAdapter implements ResourceAdapter {

    private static final Logger LOG = System.getLogger(SluiceResourceAdapter.class.getName());

    /** Shorter than the 30 s after which Open Liberty stops waiting for its threads to become quiet. */
    private static final Duration STOP_WITHIN = Duration.ofSeconds(20);

    /** Identity of both: two beans may have equal specifications, and a resumed endpoint comes with a new one. */
    private record Activation(MessageEndpointFactory factory, ActivationSpec spec) {
        @Override
        public boolean equals(Object other) {
            return other instanceof Activation that && factory == that.factory && spec == that.spec;
        }

        @Override
        public int hashCode() {
            return 31 * System.identityHashCode(factory) + System.identityHashCode(spec);
        }
    }

    private final Map<Setting, String> properties = new EnumMap<>(Setting.class);
    private final Map<Activation, Endpoint> endpoints = new ConcurrentHashMap<>();
    private final Engine engine = new Engine(this::settings, ApiCopy.origin(SluiceResourceAdapter.class));
    private volatile BootstrapContext context;

    @Override
    public void start(BootstrapContext bootstrapContext) {
        context = bootstrapContext;
        DriverRegistration.begin();
        engine.start();
    }

    @Override
    public void stop() {
        try {
            engine.stop(STOP_WITHIN);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
        DriverRegistration.end();
        context = null;
    }

    /**
     * Never fails because the database is down.
     *
     * @throws ResourceException if the bean's handler methods or its activation properties are wrong
     */
    @Override
    public void endpointActivation(MessageEndpointFactory factory, ActivationSpec spec) throws ResourceException {
        if (!(spec instanceof JobActivationSpec jobs)) {
            throw new ResourceException("Not an activation of Sluice: " + spec);
        }
        ApiCopy.refuse(factory.getEndpointClass());
        // containers validate only where Bean Validation is on
        jobs.validate();
        Endpoint endpoint =
                new Endpoint(factory, jobs, engine, context.getWorkManager(), new DeliveryContext(transactions()));
        endpoint.open();
        endpoints.put(new Activation(factory, spec), endpoint);
    }

    @Override
    public void endpointDeactivation(MessageEndpointFactory factory, ActivationSpec spec) {
        Endpoint endpoint = endpoints.remove(new Activation(factory, spec));
        if (endpoint == null) {
            return;
        }
        try {
            if (!endpoint.close(STOP_WITHIN)) {
                LOG.log(Level.WARNING, "{0}: jobs still run at its end", endpoint);
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    /** Exactly one, which works from the configuration alone: recovery may come before any activation. */
    @Override
    public XAResource[] getXAResources(ActivationSpec[] specs) {
        return new XAResource[] {new RecoveryXAResource(engine::database)};
    }

    public Engine engine() {
        return engine;
    }

    /** The registry of the container's transactions. */
    public TransactionSynchronizationRegistry transactions() {
        return context.getTransactionSynchronizationRegistry();
    }

    private synchronized Settings settings() {
        return Settings.of(properties, System.getenv());
    }

    private synchronized void set(Setting setting, String value) {
        properties.put(setting, value);
    }

    private synchronized String get(Setting setting) {
        return properties.get(setting);
    }

    public String getUrl() {
        return get(Setting.URL);
    }

    public void setUrl(String url) {
        set(Setting.URL, url);
    }

    public String getUser() {
        return get(Setting.USER);
    }

    public void setUser(String user) {
        set(Setting.USER, user);
    }

    public String getPassword() {
        return get(Setting.PASSWORD);
    }

    public void setPassword(String password) {
        set(Setting.PASSWORD, password);
    }

    public String getSchema() {
        return get(Setting.SCHEMA);
    }

    public void setSchema(String schema) {
        set(Setting.SCHEMA, schema);
    }

    public String getMigrate() {
        return get(Setting.MIGRATE);
    }

    public void setMigrate(String migrate) {
        set(Setting.MIGRATE, migrate);
    }

    public String getNodeName() {
        return get(Setting.NODE_NAME);
    }

    public void setNodeName(String nodeName) {
        set(Setting.NODE_NAME, nodeName);
    }

    public String getNodeTimeoutMillis() {
        return get(Setting.NODE_TIMEOUT);
    }

    public void setNodeTimeoutMillis(String nodeTimeoutMillis) {
        set(Setting.NODE_TIMEOUT, nodeTimeoutMillis);
    }

    public String getPollIntervalMillis() {
        return get(Setting.POLL_INTERVAL);
    }

    public void setPollIntervalMillis(String pollIntervalMillis) {
        set(Setting.POLL_INTERVAL, pollIntervalMillis);
    }
}
