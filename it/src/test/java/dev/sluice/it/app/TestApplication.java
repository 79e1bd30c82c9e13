package dev.sluice.it.app;

import java.io.File;
import java.nio.file.Path;
import org.jboss.shrinkwrap.api.ShrinkWrap;
import org.jboss.shrinkwrap.api.exporter.ZipExporter;
import org.jboss.shrinkwrap.api.spec.EnterpriseArchive;
import org.jboss.shrinkwrap.api.spec.JavaArchive;
import org.jboss.shrinkwrap.api.spec.WebArchive;

/** Builds the application under test, as a user would: our adapter and our reports, his handlers and his web module. */
public final class TestApplication {

    private static final Path MODULES = Path.of(System.getProperty("modules"));

    private TestApplication() {}

    /** The EAR; its file name gives the application the name that server-config/sluice.xml expects. */
    public static EnterpriseArchive ear(WebArchive web) {
        return ShrinkWrap.create(EnterpriseArchive.class, "sluice.ear")
                .addAsModule(module("sluice.rar"))
                .addAsModule(module("sluice-ejb.jar"))
                .addAsModule(handlers())
                .addAsModule(web);
    }

    /** The EAR with the web module by which tests outside the server reach into it. */
    public static EnterpriseArchive ear() {
        return ear(ShrinkWrap.create(WebArchive.class, "probe.war").addClass(Probe.class));
    }

    /** The EAR without anything of Sluice, for a server that has the adapter in its server.xml. */
    public static EnterpriseArchive userEar() {
        return ShrinkWrap.create(EnterpriseArchive.class, "shop.ear").addAsModule(handlers());
    }

    private static JavaArchive handlers() {
        return ShrinkWrap.create(JavaArchive.class, "handlers.jar")
                .addClasses(
                        BrokenJobs.class,
                        DoubtfulJobs.class,
                        Entry.class,
                        FailingJobs.class,
                        Gate.class,
                        Ledger.class,
                        LedgerRow.class,
                        Orders.class,
                        TwoPhaseJobs.class,
                        WorkJobs.class)
                .addAsManifestResource("app/ibm-ejb-jar-bnd.xml", "ibm-ejb-jar-bnd.xml")
                .addAsManifestResource("app/ibm-ejb-jar-ext.xml", "ibm-ejb-jar-ext.xml")
                .addAsManifestResource("app/persistence.xml", "persistence.xml")
                .addAsManifestResource("app/pause.xml", "batch-jobs/pause.xml")
                .addAsManifestResource("app/long-pause.xml", "batch-jobs/long-pause.xml");
    }

    /** The JDBC drivers that halt the server, for the folder of drivers. */
    public static JavaArchive haltingDriver() {
        return ShrinkWrap.create(JavaArchive.class, "halting.jar")
                .addClasses(Halt.class, HaltingOnePhaseDataSource.class, HaltingXADataSource.class);
    }

    /** Our artifact of this name. */
    public static File module(String name) {
        return MODULES.resolve(name).toFile();
    }

    /** Writes an archive to a folder, under its own name. */
    public static Path write(org.jboss.shrinkwrap.api.Archive<?> archive, Path folder) {
        Path file = folder.resolve(archive.getName());
        archive.as(ZipExporter.class).exportTo(file.toFile(), true);
        return file;
    }
}
