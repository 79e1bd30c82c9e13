package dev.sluice.engine.database;

/** Every setting of the adapter: its name in server.xml, its default and what it means. */
public enum Setting {
    URL("url", null, "JDBC URL of the database, jdbc:postgresql://host:port/database"),
    USER("user", null, "database role; without it, that of the URL"),
    PASSWORD("password", null, "password of that role"),
    SCHEMA("schema", "sluice", "schema of the queue's tables"),
    MIGRATE("migrate", "true", "whether this node brings the schema up to date when it starts"),
    NODE_NAME("nodeName", null, "name of this server for people; without it, the host's name"),
    NODE_TIMEOUT("nodeTimeoutMillis", "15000", "how long a node may be silent before its jobs are given to others"),
    POLL_INTERVAL("pollIntervalMillis", "1000", "how often an idle node looks for jobs that nobody told it of");

    private final String key;
    private final String defaultValue;
    private final String meaning;

    Setting(String key, String defaultValue, String meaning) {
        this.key = key;
        this.defaultValue = defaultValue;
        this.meaning = meaning;
    }

    /** The name of the property in server.xml. */
    public String key() {
        return key;
    }

    /** The environment variable that is read when server.xml does not say. */
    public String variable() {
        return "SLUICE_" + name();
    }

    /** The value without any configuration; null for none. */
    public String defaultValue() {
        return defaultValue;
    }

    /** What it means, with its unit. */
    public String meaning() {
        return meaning;
    }

    @Override
    public String toString() {
        return key + " (" + variable() + ")";
    }
}
