package dev.sluice.demo;

import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import java.util.stream.Stream;

/** The REST resources of the sample, and of the console that it takes along. */
final class SampleApi {

    /**
     * What the console says of its server's part in the queue.
     *
     * @param ready          whether it delivers jobs
     * @param problem        why not
     * @param delivered      jobs since the server's start
     * @param claimP50Millis the median of its claims
     * @param claimP99Millis their 99th percentile
     */
    record Status(boolean ready, String problem, long delivered, double claimP50Millis, double claimP99Millis) {

        /** What is taken for the truth when it does not answer. */
        static final Status UNKNOWN = new Status(false, "no answer", 0, Double.NaN, Double.NaN);
    }

    private static final Duration LIMIT = Duration.ofSeconds(30);

    private final HttpClient http =
            HttpClient.newBuilder().connectTimeout(LIMIT).build();
    private final String url;

    /** @param url of the server */
    SampleApi(String url) {
        this.url = url;
    }

    Status status() throws IOException, InterruptedException {
        String json = get("/sluice/api/status");
        return new Status(
                Boolean.parseBoolean(value(json, "ready", "false")),
                value(json, "problem", "null"),
                Long.parseLong(value(json, "delivered", "0")),
                Double.parseDouble(value(json, "claimP50Millis", "NaN")),
                Double.parseDouble(value(json, "claimP99Millis", "NaN")));
    }

    /** Starts reports, all in the same moment, and returns the ids of their runs. */
    List<Long> startReports(int count) throws IOException, InterruptedException {
        HttpRequest post =
                request("/sample/api/reports").POST(BodyPublishers.noBody()).build();
        List<CompletableFuture<HttpResponse<String>>> answers = Stream.generate(
                        () -> http.sendAsync(post, BodyHandlers.ofString()))
                .limit(count)
                .toList();
        try {
            CompletableFuture.allOf(answers.toArray(CompletableFuture[]::new)).get();
        } catch (ExecutionException e) {
            throw new IOException("No report could be started: " + e.getCause(), e);
        }
        for (CompletableFuture<HttpResponse<String>> answer : answers) {
            body(answer.join());
        }
        return answers.stream()
                .map(answer -> Long.valueOf(value(answer.join().body(), "id", "0")))
                .toList();
    }

    /** The status of a report run, as Jakarta Batch names it. */
    String reportStatus(long run) throws IOException, InterruptedException {
        return value(get("/sample/api/reports/" + run), "status", "");
    }

    private String get(String path) throws IOException, InterruptedException {
        return body(http.send(request(path).build(), BodyHandlers.ofString()));
    }

    private HttpRequest.Builder request(String path) {
        return HttpRequest.newBuilder(URI.create(url + path)).timeout(LIMIT);
    }

    private static String body(HttpResponse<String> answer) throws IOException {
        if (answer.statusCode() / 100 != 2) {
            throw new IOException(
                    answer.request().method() + " " + answer.uri() + " was answered with " + answer.statusCode() + ": "
                            + answer.body().lines().findFirst().orElse(""));
        }
        return answer.body();
    }

    /** A value of a flat JSON object, without quotes. */
    static String value(String json, String name, String otherwise) {
        Matcher value = Pattern.compile("\"" + name + "\"\\s*:\\s*(?:\"((?:[^\"\\\\]|\\\\.)*)\"|([^,}\\s]+))")
                .matcher(json);
        if (!value.find()) {
            return otherwise;
        }
        return value.group(1) != null ? value.group(1) : value.group(2);
    }
}
