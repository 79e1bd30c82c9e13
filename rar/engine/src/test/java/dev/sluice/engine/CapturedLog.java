package dev.sluice.engine;

import java.util.List;
import java.util.concurrent.CopyOnWriteArrayList;
import java.util.logging.Handler;
import java.util.logging.Level;
import java.util.logging.LogRecord;
import java.util.logging.Logger;
import java.util.logging.SimpleFormatter;

/** What a class logs, from warnings on, as a person reads it. */
public final class CapturedLog {

    /** What is done meanwhile. */
    public interface Step {
        void run() throws Exception;
    }

    private CapturedLog() {}

    /** Only what this thread logs: other tests of this JVM run at the same time. One capture at a time. */
    public static synchronized List<String> of(Class<?> type, Step step) throws Exception {
        List<String> lines = new CopyOnWriteArrayList<>();
        Thread self = Thread.currentThread();
        Handler handler = new Handler() {
            private final SimpleFormatter formatter = new SimpleFormatter();

            @Override
            public void publish(LogRecord record) {
                if (Thread.currentThread() == self) {
                    lines.add(formatter.formatMessage(record));
                }
            }

            @Override
            public void flush() {}

            @Override
            public void close() {}
        };
        Logger logger = Logger.getLogger(type.getName());
        Level before = logger.getLevel();
        logger.setLevel(Level.WARNING);
        logger.setUseParentHandlers(false);
        logger.addHandler(handler);
        try {
            step.run();
        } finally {
            logger.removeHandler(handler);
            logger.setUseParentHandlers(true);
            logger.setLevel(before);
        }
        return lines;
    }
}
