package dev.sluice.engine.model;

/** What sessions are for. */
enum Role {
    PRODUCER("postgres", 4),
    /** A program whose role has another default isolation. */
    SERIALIZABLE_PRODUCER("serializable", 1),
    REPEATABLE_READ_PRODUCER("repeatable_read", 1),
    HANDLER("postgres", 4),
    ROTATION("postgres", 2),
    SETTLEMENT("postgres", 1);

    private final String user;
    private final int sessions;

    Role(String user, int sessions) {
        this.user = user;
        this.sessions = sessions;
    }

    String user() {
        return user;
    }

    /** How many there are. */
    int sessions() {
        return sessions;
    }
}
