package dev.sluice.console;

import dev.sluice.api.NodeStatus;
import dev.sluice.api.Operations;
import jakarta.annotation.Resource;
import jakarta.enterprise.context.ApplicationScoped;
import jakarta.ws.rs.GET;
import jakarta.ws.rs.Path;
import jakarta.ws.rs.Produces;
import jakarta.ws.rs.core.MediaType;

/** How this server's part in the queue is doing. */
@Path("status")
@ApplicationScoped
public class StatusResource {

    @Resource(lookup = "sluice/operations")
    private Operations operations;

    /** As of now. */
    @GET
    @Produces(MediaType.APPLICATION_JSON)
    public NodeStatus status() {
        return operations.status();
    }
}
