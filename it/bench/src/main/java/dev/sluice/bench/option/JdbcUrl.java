package dev.sluice.bench.option;

import java.util.Properties;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import org.postgresql.Driver;
import picocli.CommandLine.ITypeConverter;
import picocli.CommandLine.TypeConversionException;

/**
 * The address of an existing server, with who logs in. Never shows the password.
 *
 * @param user     the role
 * @param password of the role; empty if it needs none
 */
public record JdbcUrl(String server, String database, String parameters, String user, String password) {

    private static final String HOST = "(?:\\[[0-9a-fA-F:.]+\\]|[^/?:,\\[\\]]+)(?::\\d{1,5})?";
    private static final Pattern FORM =
            Pattern.compile("(jdbc:postgresql://" + HOST + "(?:," + HOST + ")*/)([^/?]+)(\\?.*)?");
    private static final Pattern CREDENTIALS = Pattern.compile("(?<=[?&])(user|password)=[^&]*&?");

    static final class Converter implements ITypeConverter<JdbcUrl> {
        @Override
        public JdbcUrl convert(String value) {
            return parse(value, System.getenv("PGUSER"), System.getenv("PGPASSWORD"));
        }
    }

    /** @throws TypeConversionException if it is no such URL or names no role; does not repeat it, as it may hold a password */
    static JdbcUrl parse(String value, String defaultUser, String defaultPassword) {
        Matcher form = FORM.matcher(value);
        Properties parsed = form.matches() ? Driver.parseURL(value, null) : null;
        if (parsed == null) {
            throw new TypeConversionException(
                    "allowed is jdbc:postgresql://host:port/database?user=...&password=..., with further parameters");
        }
        String user = parsed.getProperty("user", defaultUser);
        if (user == null || user.isEmpty()) {
            throw new TypeConversionException("it names no role: add ?user=... or set PGUSER");
        }
        String password = parsed.getProperty("password", defaultPassword);
        return new JdbcUrl(
                form.group(1),
                form.group(2),
                withoutCredentials(form.group(3)),
                user,
                password == null ? "" : password);
    }

    private static String withoutCredentials(String parameters) {
        return parameters == null
                ? ""
                : CREDENTIALS.matcher(parameters).replaceAll("").replaceFirst("[?&]$", "");
    }

    /** The URL of a database of this server, without role and password. */
    public String of(String otherDatabase) {
        return server + otherDatabase + parameters;
    }

    @Override
    public String toString() {
        return server + database;
    }
}
