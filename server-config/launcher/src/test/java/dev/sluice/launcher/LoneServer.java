package dev.sluice.launcher;

import java.io.IOException;

/** Starts a PostgreSQL, says so, and leaves it running when its own input ends. */
final class LoneServer {

    private LoneServer() {}

    public static void main(String[] arguments) throws IOException {
        PostgresServer server = PostgresServer.builder()
                .privileges(PrivilegeDrop.valueOf(arguments[0]))
                .start();
        System.out.println(server.pid());
        System.out.println(server.dataDirectory());
        while (System.in.read() != -1) {}
    }
}
