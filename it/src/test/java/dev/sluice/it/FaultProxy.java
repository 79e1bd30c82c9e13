package dev.sluice.it;

import java.io.BufferedInputStream;
import java.io.BufferedOutputStream;
import java.io.ByteArrayOutputStream;
import java.io.DataInputStream;
import java.io.DataOutputStream;
import java.io.EOFException;
import java.io.IOException;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;

/**
 * Stands between a server and PostgreSQL, and holds a connection at a request that a test names, for the test to do harm
 * meanwhile. It knows just enough of the protocol to tell a request and its answer (PostgreSQL, chapter 54): a request ends
 * with a Sync or is a simple query, and its answer ends with ReadyForQuery.
 */
public final class FaultProxy implements AutoCloseable {

    /** When a connection is held. */
    public enum Moment {
        /** PostgreSQL has not seen the request. */
        BEFORE,
        /** PostgreSQL has answered, and the server has not seen it. */
        AFTER
    }

    /** A request that is waited for; then the connection that it came on. */
    public static final class Hold {

        private final Moment moment;
        private final List<List<String>> requests;
        private final CompletableFuture<Integer> port = new CompletableFuture<>();
        private final CountDownLatch dropped = new CountDownLatch(1);

        private Hold(Moment moment, List<List<String>> requests) {
            this.moment = moment;
            this.requests = requests;
        }

        /** Waits until the connection is held; returns the {@code client_port} by which PostgreSQL knows it. */
        public int awaitHeld() throws InterruptedException {
            try {
                return port.get(SECONDS, TimeUnit.SECONDS);
            } catch (TimeoutException | ExecutionException e) {
                throw new AssertionError("not all of these requests came on one connection: " + requests, e);
            }
        }

        /** Ends the connection; the request or the answer that was held is lost. */
        public void drop() {
            dropped.countDown();
        }

        private void holdNow(Socket postgres) throws InterruptedException {
            port.complete(postgres.getLocalPort());
            dropped.await();
        }
    }

    private static final long SECONDS = 60;

    /** Messages that others follow in the same request: Parse, Bind, Describe, Execute, Close. */
    private static final String UNFINISHED = "PBDEC";

    private static final int SSL_REQUEST = 80877103;
    private static final int GSS_REQUEST = 80877104;

    private final int target;
    private final ServerSocket listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
    private final Set<Hold> awaited = ConcurrentHashMap.newKeySet();

    /** @param target the port of PostgreSQL */
    public FaultProxy(int target) throws IOException {
        this.target = target;
        start(this::accept);
    }

    /** The URL of a database through this proxy. Its statements are not prepared, so that each carries its text. */
    public String jdbcUrl(String database) {
        return "jdbc:postgresql://127.0.0.1:" + listener.getLocalPort() + "/" + database + "?prepareThreshold=0";
    }

    /**
     * Holds the first connection on which all these requests have come, in this order, at the last of them.
     *
     * @param requests of each the texts that are found in it, its bytes read as ISO 8859-1
     */
    public Hold hold(Moment moment, List<List<String>> requests) {
        Hold hold = new Hold(moment, requests);
        awaited.add(hold);
        return hold;
    }

    /** A {@code bigint} as the driver sends it as a parameter, to be found in a request. */
    public static String bigint(long value) {
        return new String(ByteBuffer.allocate(Long.BYTES).putLong(value).array(), StandardCharsets.ISO_8859_1);
    }

    private void accept() {
        while (!listener.isClosed()) {
            try {
                Socket client = listener.accept();
                start(() -> serve(client));
            } catch (IOException e) {
                // the listener is closed
            }
        }
    }

    private void serve(Socket client) {
        sockets.add(client);
        try (client;
                Socket postgres = new Socket(InetAddress.getLoopbackAddress(), target)) {
            sockets.add(postgres);
            client.setTcpNoDelay(true);
            postgres.setTcpNoDelay(true);
            new Link(client, postgres).run();
            sockets.remove(postgres);
        } catch (IOException | InterruptedException e) {
            // broken here or there
        } finally {
            sockets.remove(client);
        }
    }

    /** A connection of the server, and ours to PostgreSQL for it. */
    private final class Link {

        private final Socket client;
        private final Socket postgres;
        private final DataInputStream fromClient;
        private final DataOutputStream toPostgres;
        private final DataInputStream fromPostgres;
        private final DataOutputStream toClient;
        /** How many requests of each have come. */
        private final Map<Hold, Integer> seen = new HashMap<>();

        private volatile Hold withholding;

        Link(Socket client, Socket postgres) throws IOException {
            this.client = client;
            this.postgres = postgres;
            this.fromClient = in(client);
            this.toPostgres = out(postgres);
            this.fromPostgres = in(postgres);
            this.toClient = out(client);
        }

        void run() throws IOException, InterruptedException {
            startUp();
            start(this::answers);
            requests();
        }

        /** The first messages have no type; each but the last asks for encryption, and is answered by one byte. */
        private void startUp() throws IOException {
            int code;
            do {
                byte[] body = body(fromClient);
                code = ByteBuffer.wrap(body).getInt();
                toPostgres.writeInt(body.length + Integer.BYTES);
                toPostgres.write(body);
                toPostgres.flush();
                if (code == SSL_REQUEST || code == GSS_REQUEST) {
                    toClient.write(fromPostgres.readByte());
                    toClient.flush();
                }
            } while (code == SSL_REQUEST || code == GSS_REQUEST);
        }

        private void requests() throws IOException, InterruptedException {
            ByteArrayOutputStream request = new ByteArrayOutputStream();
            for (int type = fromClient.read(); type >= 0; type = fromClient.read()) {
                copy(type, body(fromClient), new DataOutputStream(request));
                if (UNFINISHED.indexOf(type) >= 0) {
                    continue;
                }
                Hold hold = complete(request.toString(StandardCharsets.ISO_8859_1));
                if (hold != null && hold.moment == Moment.BEFORE) {
                    hold.holdNow(postgres);
                    return;
                }
                withholding = hold;
                request.writeTo(toPostgres);
                toPostgres.flush();
                request.reset();
            }
        }

        /** The hold that this request was the last of; null if there is none. */
        private Hold complete(String request) {
            for (Hold hold : awaited) {
                int next = seen.getOrDefault(hold, 0);
                if (next < hold.requests.size()
                        && hold.requests.get(next).stream().allMatch(request::contains)) {
                    seen.put(hold, next + 1);
                    if (next + 1 == hold.requests.size() && awaited.remove(hold)) {
                        return hold;
                    }
                }
            }
            return null;
        }

        private void answers() {
            try (client;
                    postgres) {
                while (true) {
                    int type = fromPostgres.readUnsignedByte();
                    byte[] body = body(fromPostgres);
                    Hold hold = withholding;
                    if (hold == null) {
                        copy(type, body, toClient);
                        if (fromPostgres.available() == 0) {
                            toClient.flush();
                        }
                    } else if (type == 'Z') {
                        hold.holdNow(postgres);
                        return;
                    }
                }
            } catch (IOException | InterruptedException e) {
                // broken here or there
            }
        }
    }

    private static DataInputStream in(Socket socket) throws IOException {
        return new DataInputStream(new BufferedInputStream(socket.getInputStream()));
    }

    private static DataOutputStream out(Socket socket) throws IOException {
        return new DataOutputStream(new BufferedOutputStream(socket.getOutputStream()));
    }

    private static byte[] body(DataInputStream in) throws IOException {
        int length = in.readInt() - Integer.BYTES;
        byte[] body = in.readNBytes(length);
        if (body.length < length) {
            throw new EOFException();
        }
        return body;
    }

    private static void copy(int type, byte[] body, DataOutputStream out) throws IOException {
        out.write(type);
        out.writeInt(body.length + Integer.BYTES);
        out.write(body);
    }

    private static void start(Runnable pump) {
        Thread thread = new Thread(pump, "fault proxy");
        thread.setDaemon(true);
        thread.start();
    }

    @Override
    public void close() throws IOException {
        listener.close();
        for (Socket socket : sockets) {
            socket.close();
        }
    }
}
