package dev.sluice.engine;

import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.classes;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static com.tngtech.archunit.library.dependencies.SlicesRuleDefinition.slices;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** What may know what. */
class ArchitectureTest {

    private static final JavaClasses CLASSES = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages("dev.sluice");

    @Test
    @DisplayName("The engine knows PostgreSQL and JDBC, and nothing of a server")
    void engine() {
        classes()
                .that()
                .resideInAPackage("dev.sluice.engine..")
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage(
                        "java..",
                        "javax.sql..",
                        "javax.transaction.xa..",
                        "org.postgresql..",
                        "org.flywaydb..",
                        "org.HdrHistogram..",
                        "dev.sluice.api..",
                        "dev.sluice.engine..")
                .check(CLASSES);
    }

    @Test
    @DisplayName("What user code compiles against depends on Java alone")
    void api() {
        assertTrue(CLASSES.stream().anyMatch(type -> type.getName().equals("dev.sluice.api.OnJob")));
        classes()
                .that()
                .resideInAPackage("dev.sluice.api..")
                .should()
                .onlyDependOnClassesThat()
                .resideInAnyPackage("java..", "dev.sluice.api..")
                .check(CLASSES);
    }

    @Test
    @DisplayName("The engine's packages do not depend on each other in a circle")
    void noCircles() {
        slices().matching("dev.sluice.(**)").should().beFreeOfCycles().check(CLASSES);
    }

    @Test
    @DisplayName("Flyway is the migrator's affair alone, and the queue knows nothing of deliveries or transactions")
    void layers() {
        noClasses()
                .that()
                .resideOutsideOfPackage("dev.sluice.engine.schema..")
                .should()
                .dependOnClassesThat()
                .resideInAPackage("org.flywaydb..")
                .check(CLASSES);
        noClasses()
                .that()
                .resideInAnyPackage("dev.sluice.engine.queue..", "dev.sluice.engine.schema..")
                .should()
                .dependOnClassesThat()
                .resideInAnyPackage("dev.sluice.engine.delivery..", "dev.sluice.engine.xa..", "javax.transaction..")
                .check(CLASSES);
    }
}
