package dev.sluice.it.container;

import dev.sluice.it.app.TestApplication;
import dev.sluice.it.container.app.EchoJobs;
import org.jboss.shrinkwrap.api.ShrinkWrap;
import org.jboss.shrinkwrap.api.spec.EnterpriseArchive;
import org.jboss.shrinkwrap.api.spec.JavaArchive;
import org.jboss.shrinkwrap.api.spec.WebArchive;

/** The application under test, with a test class in its web module. */
final class Deployments {

    private Deployments() {}

    static EnterpriseArchive with(Class<?> test) {
        return with(web(test));
    }

    /** The web module with a test class. */
    static WebArchive web(Class<?> test) {
        return ShrinkWrap.create(WebArchive.class, "test.war").addClasses(test, Inside.class, Witness.class);
    }

    static EnterpriseArchive with(WebArchive web) {
        return TestApplication.ear(web)
                .addAsModule(ShrinkWrap.create(JavaArchive.class, "more-handlers.jar")
                        .addPackage(EchoJobs.class.getPackage())
                        .addAsManifestResource("container/ibm-ejb-jar-bnd.xml", "ibm-ejb-jar-bnd.xml")
                        .addAsManifestResource("container/ibm-ejb-jar-ext.xml", "ibm-ejb-jar-ext.xml")
                        .addAsManifestResource("container/endless.xml", "batch-jobs/endless.xml")
                        .addAsManifestResource("container/persistence.xml", "persistence.xml")
                        .addAsManifestResource("container/failing.xml", "batch-jobs/failing.xml")
                        .addAsManifestResource("container/notes-batchlet.xml", "batch-jobs/notes-batchlet.xml")
                        .addAsManifestResource("container/notes-chunk.xml", "batch-jobs/notes-chunk.xml"));
    }
}
