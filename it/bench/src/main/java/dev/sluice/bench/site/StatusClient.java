package dev.sluice.bench.site;

import dev.sluice.api.NodeStatus;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.time.Duration;
import tools.jackson.databind.DeserializationFeature;
import tools.jackson.databind.json.JsonMapper;

/** Asks the console of a server how its part in the queue is doing. */
final class StatusClient {

    private static final JsonMapper JSON = JsonMapper.builder()
            .disable(DeserializationFeature.FAIL_ON_UNKNOWN_PROPERTIES)
            .build();
    private static final Duration LIMIT = Duration.ofSeconds(10);

    private final HttpClient http =
            HttpClient.newBuilder().connectTimeout(LIMIT).build();
    private final HttpRequest request;

    StatusClient(String server) {
        request = HttpRequest.newBuilder(URI.create(server + "/sluice/api/status"))
                .timeout(LIMIT)
                .build();
    }

    NodeStatus get() throws IOException, InterruptedException {
        HttpResponse<String> answer = http.send(request, BodyHandlers.ofString());
        if (answer.statusCode() != 200) {
            throw new IOException(request.uri() + " was answered with " + answer.statusCode());
        }
        return JSON.readValue(answer.body(), NodeStatus.class);
    }
}
