package dev.sluice.launcher;

import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.ThreadLocalRandom;

/** Picks ports of 127.0.0.1 that nobody listens on. */
public final class FreePort {

    // Below the range the kernel takes client ports from (from 32768 on Linux): a client that reconnects while its
    // server is down could otherwise be given the server's own port, and the server could not come back to it.
    private static final int FIRST = 20_000;
    private static final int LAST = 29_999;
    private static final int ATTEMPTS = 1_000;

    private static final Set<Integer> PICKED = ConcurrentHashMap.newKeySet();

    private FreePort() {}

    /**
     * Returns a port between 20000 and 29999 that was free a moment ago and that this JVM has not picked before.
     *
     * @throws IllegalStateException if there is none to be found
     */
    public static int pick() {
        for (int attempt = 0; attempt < ATTEMPTS; attempt++) {
            int port = ThreadLocalRandom.current().nextInt(FIRST, LAST + 1);
            if (isFree(port) && PICKED.add(port)) {
                return port;
            }
        }
        throw new IllegalStateException("no free port between " + FIRST + " and " + LAST + " of 127.0.0.1");
    }

    private static boolean isFree(int port) {
        try (ServerSocket socket = new ServerSocket(port, 1, InetAddress.getLoopbackAddress())) {
            return socket.isBound();
        } catch (IOException taken) {
            return false;
        }
    }
}
