package dev.sluice.ejb;

import dev.sluice.api.NodeStatus;
import dev.sluice.api.Operations;
import jakarta.enterprise.context.ApplicationScoped;
import javax.naming.InitialContext;
import javax.naming.NamingException;
import org.eclipse.microprofile.health.HealthCheck;
import org.eclipse.microprofile.health.HealthCheckResponse;
import org.eclipse.microprofile.health.HealthCheckResponseBuilder;
import org.eclipse.microprofile.health.Readiness;

/** Ready when jobs are delivered; otherwise says why they are not. */
@Readiness
@ApplicationScoped
public class QueueReadiness implements HealthCheck {

    @Override
    public HealthCheckResponse call() {
        HealthCheckResponseBuilder response = HealthCheckResponse.named("sluice");
        try {
            NodeStatus status =
                    InitialContext.<Operations>doLookup("sluice/operations").status();
            if (status.problem() != null) {
                response.withData("problem", status.problem());
            }
            return response.status(status.ready())
                    .withData("node", status.node())
                    .withData("running", status.running())
                    .withData("stuck", status.stuck())
                    // their jobs wait, all others are delivered: no reason to take the server out of service
                    .withData("inDoubt", status.inDoubt())
                    .withData("oldestInDoubtSeconds", status.oldestInDoubtSeconds())
                    .build();
        } catch (NamingException e) {
            return response.down()
                    .withData("problem", "server.xml defines no adminObject with jndiName sluice/operations")
                    .build();
        }
    }
}
