package dev.sluice.demo;

import dev.sluice.api.NodeStatus;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.stream.Stream;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.json.JsonMapper;

/** The REST resources of the sample, and of the console that it takes along. */
final class SampleApi {

    /**
     * A report run.
     *
     * @param id     of its execution
     * @param status as Jakarta Batch names it
     */
    private record Run(long id, String status) {}

    private static final JsonMapper JSON = JsonMapper.builder()
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .build();
    private static final Duration LIMIT = Duration.ofSeconds(30);

    private final HttpClient http =
            HttpClient.newBuilder().connectTimeout(LIMIT).build();
    private final String url;

    /** @param url of the server */
    SampleApi(String url) {
        this.url = url;
    }

    /** How the server's part in the queue is doing. */
    NodeStatus status() throws IOException, InterruptedException {
        return JSON.readValue(get("/sluice/api/status"), NodeStatus.class);
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
        List<Long> runs = new ArrayList<>();
        for (CompletableFuture<HttpResponse<String>> answer : answers) {
            runs.add(JSON.readValue(body(answer.join()), Run.class).id());
        }
        return runs;
    }

    /** The status of a report run, as Jakarta Batch names it. */
    String reportStatus(long run) throws IOException, InterruptedException {
        return JSON.readValue(get("/sample/api/reports/" + run), Run.class).status();
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
}
