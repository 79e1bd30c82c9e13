package dev.sluice.engine;

import java.io.IOException;
import java.io.InputStream;
import java.io.OutputStream;
import java.net.InetAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.util.Set;
import java.util.concurrent.Callable;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicReference;

/** Stands between a node and PostgreSQL, and breaks a connection at the moment that a test names. */
public final class CuttingProxy implements AutoCloseable {

    /** When to break a connection. */
    public enum Moment {
        /** The server never sees the request. */
        BEFORE_REQUEST,
        /** The server gets the request and works on it; the client knows nothing more. */
        AFTER_REQUEST,
        /** The server has answered; the client does not see it. */
        AFTER_ANSWER
    }

    private record Cut(String word, Moment moment, CountDownLatch done) {

        boolean concerns(byte[] bytes, int count) {
            return new String(bytes, 0, count, StandardCharsets.ISO_8859_1).contains(word);
        }
    }

    private record Interlude(String word, Callable<?> action) {}

    private static final int CHUNK = 65_536;

    private final int target;
    private final ServerSocket listener = new ServerSocket(0, 50, InetAddress.getLoopbackAddress());
    private final Set<Socket> sockets = ConcurrentHashMap.newKeySet();
    private final AtomicReference<Cut> armed = new AtomicReference<>();

    private final AtomicReference<Interlude> interlude = new AtomicReference<>();
    private final AtomicReference<Cut> armedAnswer = new AtomicReference<>();
    private volatile boolean refusing;

    public CuttingProxy(int target) throws IOException {
        this.target = target;
        start(this::accept);
    }

    /** The URL of a database, through this proxy. */
    public String jdbcUrl(String database) {
        return "jdbc:postgresql://127.0.0.1:" + listener.getLocalPort() + "/" + database;
    }

    /** Cuts the connection of the next request with this text. */
    public void cut(String word, Moment moment) {
        armed.set(new Cut(word, moment, new CountDownLatch(1)));
    }

    /** Cuts the connection of the next answer with this text, which the client does not see. */
    public void cutAnswer(String word) {
        armedAnswer.set(new Cut(word, Moment.AFTER_ANSWER, new CountDownLatch(1)));
    }

    /** Has something done before the server sees the next request with this text. */
    public void before(String word, Callable<?> action) {
        interlude.set(new Interlude(word, action));
    }

    /** Waits until the cut was made. */
    public void awaitCut() throws InterruptedException {
        QueueFixture.await(
                () -> armed.get() == null && armedAnswer.get() == null,
                () -> "not seen: " + armed.get() + ", " + armedAnswer.get());
    }

    /** Lets nobody connect, or all again. */
    public void refuse(boolean now) {
        refusing = now;
    }

    /** Breaks all connections that there are. */
    public void cutAll() {
        sockets.forEach(CuttingProxy::close);
    }

    private void accept() {
        while (!listener.isClosed()) {
            try {
                Socket client = listener.accept();
                if (refusing) {
                    close(client);
                    continue;
                }
                Socket server;
                try {
                    server = new Socket(InetAddress.getLoopbackAddress(), target);
                } catch (IOException e) {
                    close(client);
                    continue;
                }
                client.setTcpNoDelay(true);
                server.setTcpNoDelay(true);
                sockets.add(client);
                sockets.add(server);
                AtomicReference<Cut> swallow = new AtomicReference<>();
                start(() -> requests(client, server, swallow));
                start(() -> answers(client, server, swallow));
            } catch (IOException e) {
                // the listener is closed
            }
        }
    }

    private void requests(Socket client, Socket server, AtomicReference<Cut> swallow) {
        try {
            InputStream in = client.getInputStream();
            OutputStream out = server.getOutputStream();
            byte[] bytes = new byte[CHUNK];
            for (int count = in.read(bytes); count >= 0; count = in.read(bytes)) {
                Interlude between = interlude.get();
                if (between != null
                        && new String(bytes, 0, count, StandardCharsets.ISO_8859_1).contains(between.word())
                        && interlude.compareAndSet(between, null)) {
                    between.action().call();
                }
                Cut cut = armed.get();
                if (cut != null && cut.concerns(bytes, count) && armed.compareAndSet(cut, null)) {
                    if (cut.moment() != Moment.BEFORE_REQUEST) {
                        swallow.set(cut);
                        out.write(bytes, 0, count);
                    }
                    if (cut.moment() == Moment.AFTER_ANSWER) {
                        cut.done().await(10, TimeUnit.SECONDS);
                    }
                    close(client);
                    if (cut.moment() == Moment.AFTER_REQUEST) {
                        cut.done().await(10, TimeUnit.SECONDS);
                    }
                    return;
                }
                out.write(bytes, 0, count);
            }
        } catch (Exception e) {
            // broken here or there
        } finally {
            close(client);
            close(server);
        }
    }

    private void answers(Socket client, Socket server, AtomicReference<Cut> swallow) {
        try {
            InputStream in = server.getInputStream();
            OutputStream out = client.getOutputStream();
            byte[] bytes = new byte[CHUNK];
            for (int count = in.read(bytes); count >= 0; count = in.read(bytes)) {
                Cut cut = swallow.get();
                if (cut != null) {
                    cut.done().countDown();
                    return;
                }
                Cut answer = armedAnswer.get();
                if (answer != null && answer.concerns(bytes, count) && armedAnswer.compareAndSet(answer, null)) {
                    return;
                }
                out.write(bytes, 0, count);
            }
        } catch (IOException e) {
            // broken here or there
        } finally {
            if (swallow.get() == null) {
                close(client);
                close(server);
            }
        }
    }

    private static void start(Runnable pump) {
        Thread thread = new Thread(pump, "cutting proxy");
        thread.setDaemon(true);
        thread.start();
    }

    private static void close(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            // it is closed anyhow
        }
    }

    @Override
    public void close() throws IOException {
        listener.close();
        cutAll();
    }
}
