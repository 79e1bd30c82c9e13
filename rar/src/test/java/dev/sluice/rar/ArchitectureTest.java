package dev.sluice.rar;

import static com.tngtech.archunit.core.domain.JavaCall.Predicates.target;
import static com.tngtech.archunit.core.domain.JavaClass.Predicates.assignableTo;
import static com.tngtech.archunit.core.domain.properties.HasName.Predicates.nameMatching;
import static com.tngtech.archunit.core.domain.properties.HasOwner.Predicates.With.owner;
import static com.tngtech.archunit.lang.syntax.ArchRuleDefinition.noClasses;
import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import com.tngtech.archunit.core.domain.JavaClass;
import com.tngtech.archunit.core.domain.JavaClasses;
import com.tngtech.archunit.core.importer.ClassFileImporter;
import com.tngtech.archunit.core.importer.ImportOption;
import java.io.DataInputStream;
import java.io.IOException;
import java.sql.Connection;
import java.sql.Statement;
import java.util.ArrayList;
import java.util.List;
import java.util.regex.Pattern;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

/** The adapter knows Jakarta Connectors; the database is the engine's affair. */
class ArchitectureTest {

    private static final JavaClasses CLASSES = new ClassFileImporter()
            .withImportOption(ImportOption.Predefined.DO_NOT_INCLUDE_TESTS)
            .importPackages("dev.sluice.rar");

    private static final Pattern SQL = Pattern.compile(
            "\\s*(/\\*.*?\\*/)?\\s*("
                    + "select|insert into|update|delete from|truncate|lock|create|alter|drop|set|with|call|begin|prepare transaction"
                    + "|commit prepared|rollback prepared|notify|listen)\\s+[\\w\"{(*'].*",
            Pattern.DOTALL);

    @Test
    @DisplayName("Only sluice/ds, which hands the application's statements on, makes or runs statements")
    void noStatements() {
        noClasses()
                .that()
                .resideOutsideOfPackage("dev.sluice.rar.ds..")
                .should()
                .callMethodWhere(target(owner(assignableTo(Connection.class)))
                        .and(target(nameMatching("createStatement|prepareStatement|prepareCall|nativeSQL"))))
                .orShould()
                .callMethodWhere(target(owner(assignableTo(Statement.class))))
                .check(CLASSES);
    }

    @Test
    @DisplayName("The adapter has no SQL of its own")
    void noSql() throws IOException {
        assertTrue(SQL.matcher("\n/* sluice:x */\nselect 1").matches()
                && SQL.matcher("set role r").matches());
        assertFalse(CLASSES.isEmpty());
        List<String> found = new ArrayList<>();
        for (JavaClass type : CLASSES) {
            for (String constant : constants(type)) {
                if (SQL.matcher(constant).matches()) {
                    found.add(type.getName() + ": " + constant);
                }
            }
        }
        assertEquals(List.of(), found);
    }

    @Test
    @DisplayName("The adapter depends on Jakarta EE, the engine and Java, and on no driver")
    void dependencies() {
        noClasses()
                .that()
                .resideInAPackage("dev.sluice.rar..")
                .should()
                .dependOnClassesThat()
                .resideOutsideOfPackages("java..", "javax..", "jakarta..", "dev.sluice..")
                .check(CLASSES);
    }

    /** The text of a class file's constant pool (Java Virtual Machine Specification, section 4.4). */
    private static List<String> constants(JavaClass type) throws IOException {
        List<String> texts = new ArrayList<>();
        String file = "/" + type.getName().replace('.', '/') + ".class";
        try (DataInputStream in = new DataInputStream(ArchitectureTest.class.getResourceAsStream(file))) {
            in.skipNBytes(8);
            int count = in.readUnsignedShort();
            for (int i = 1; i < count; i++) {
                int tag = in.readUnsignedByte();
                switch (tag) {
                    case 1 -> texts.add(in.readUTF());
                    case 5, 6 -> {
                        in.skipNBytes(8);
                        i++;
                    }
                    case 7, 8, 16, 19, 20 -> in.skipNBytes(2);
                    case 15 -> in.skipNBytes(3);
                    default -> in.skipNBytes(4);
                }
            }
        }
        return texts;
    }
}
