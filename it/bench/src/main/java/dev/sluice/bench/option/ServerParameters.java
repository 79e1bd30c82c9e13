package dev.sluice.bench.option;

import java.util.LinkedHashMap;
import java.util.Map;
import java.util.Set;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * Parameters of the embedded PostgreSQL.
 *
 * @param values by name, as they would stand in postgresql.conf, without quotes
 */
public record ServerParameters(Map<String, String> values) {

    /** None. */
    public static final ServerParameters NONE = new ServerParameters(Map.of());

    /** A comma begins the next setting only where a name and = follow, so lists need no quotes. */
    private static final Pattern BETWEEN = Pattern.compile(",(?=\\s*[A-Za-z_][A-Za-z0-9_.]*\\s*=)");

    private static final Pattern SETTING = Pattern.compile("\\s*([A-Za-z_][A-Za-z0-9_.]*)\\s*=\\s*([^\\r\\n]*?)\\s*");

    private static final Set<String> OURS =
            Set.of("port", "listen_addresses", "unix_socket_directories", "data_directory", "hba_file", "config_file");

    static final class Converter implements ITypeConverter<ServerParameters> {
        @Override
        public ServerParameters convert(String value) {
            return parse(value);
        }
    }

    static ServerParameters parse(String text) {
        Map<String, String> values = new LinkedHashMap<>();
        for (String part : BETWEEN.split(text, -1)) {
            Matcher setting = SETTING.matcher(part);
            if (!setting.matches()) {
                throw new TypeConversionException("allowed is name=value,name=value, not \"" + text + "\"");
            }
            String name = setting.group(1);
            if (OURS.contains(name)) {
                throw new TypeConversionException(name + " is the bench's own to set");
            }
            values.put(name, setting.group(2).replaceAll("^'|'$", ""));
        }
        return new ServerParameters(Map.copyOf(values));
    }
}
