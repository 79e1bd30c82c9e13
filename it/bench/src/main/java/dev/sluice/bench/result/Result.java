package dev.sluice.bench.result;

import java.util.List;
import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;
import tools.jackson.databind.node.ObjectNode;

/** What was measured, in the order in which it is said. */
public final class Result {

    private static final JsonMapper JSON = JsonMapper.shared();

    private final ObjectNode values = JSON.createObjectNode();

    public Result put(String key, long value) {
        values.put(key, value);
        return this;
    }

    public Result put(String key, String value) {
        values.put(key, value);
        return this;
    }

    /** Rounds to so many digits; what is not a number is null. */
    public Result put(String key, double value, int digits) {
        if (Double.isFinite(value)) {
            values.put(key, rounded(value, digits));
        } else {
            values.putNull(key);
        }
        return this;
    }

    /** Each rounded to so many digits. */
    public Result put(String key, List<Double> series, int digits) {
        ArrayNode array = values.putArray(key);
        series.forEach(value -> array.add(rounded(value, digits)));
        return this;
    }

    private static double rounded(double value, int digits) {
        double scale = Math.pow(10, digits);
        return Math.round(value * scale) / scale;
    }

    /** One JSON object on one line. */
    public String json() {
        return values.toString();
    }
}
