package dev.sluice.bench.queue;

import dev.sluice.bench.option.Words;

/** Which queue is measured: the values of {@code --queue}. */
public enum QueueChoice {
    /** Ours. */
    SLUICE(new SluiceQueue()),

    /** The textbook's. */
    PLAIN(new PlainQueue()),

    /** That of 2015. */
    QUE(new QueQueue());

    private final TestedQueue queue;

    QueueChoice(TestedQueue queue) {
        this.queue = queue;
    }

    public TestedQueue queue() {
        return queue;
    }

    /** As it is written on the command line. */
    @Override
    public String toString() {
        return Words.of(this);
    }
}
