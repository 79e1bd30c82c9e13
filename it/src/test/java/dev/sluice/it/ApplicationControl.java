package dev.sluice.it;

import dev.sluice.launcher.LibertyServer;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import javax.management.ObjectName;
import javax.management.remote.JMXConnector;
import javax.management.remote.JMXConnectorFactory;
import javax.management.remote.JMXServiceURL;

/** What an operator does to an application while its server runs. */
public final class ApplicationControl {

    private static final Duration LIMIT = Duration.ofSeconds(90);

    private ApplicationControl() {}

    /** Stops an application and starts it again, through Open Liberty's MBean. Its restart() fails now and then. */
    public static void restart(LibertyServer server, String application) throws Exception {
        long mark = server.mark();
        invoke(server, application, "stop");
        server.awaitMessage(mark, "CWWKZ0009I: The application " + application + " ", LIMIT);
        invoke(server, application, "start");
        server.awaitMessage(mark, "CWWKZ000[13]I: .*pplication " + application + " ", LIMIT);
    }

    /** Puts a new archive in place of an application's, and waits until Open Liberty has found it. */
    public static void replace(LibertyServer server, String application, Path archive, String fileName) {
        long mark = server.mark();
        server.deploy(archive, fileName);
        server.awaitMessage(mark, "CWWKZ000[13]I: .*pplication " + application + " ", LIMIT);
    }

    private static void invoke(LibertyServer server, String application, String operation) throws Exception {
        Path address = server.serverDirectory().resolve("logs/state/com.ibm.ws.jmx.local.address");
        ObjectName bean =
                new ObjectName("WebSphere:service=com.ibm.websphere.application.ApplicationMBean,name=" + application);
        try (JMXConnector connector = JMXConnectorFactory.connect(new JMXServiceURL(Files.readString(address)))) {
            connector.getMBeanServerConnection().invoke(bean, operation, null, null);
        }
    }
}
