package dev.sluice.rar;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNull;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.api.SluiceException;
import dev.sluice.engine.database.Setting;
import jakarta.resource.spi.ActivationSpec;
import jakarta.resource.spi.ManagedConnectionFactory;
import jakarta.resource.spi.ResourceAdapter;
import java.beans.BeanInfo;
import java.beans.Introspector;
import java.beans.PropertyDescriptor;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeSet;
import java.util.stream.Collectors;
import javax.xml.parsers.DocumentBuilderFactory;
import javax.xml.xpath.XPath;
import javax.xml.xpath.XPathConstants;
import javax.xml.xpath.XPathExpressionException;
import javax.xml.xpath.XPathFactory;
import org.junit.jupiter.api.BeforeAll;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;
import org.w3c.dom.Document;
import org.w3c.dom.NodeList;

/** ra.xml, the settings and the classes say the same. */
class DeploymentDescriptorTest {

    private static final XPath XPATH = XPathFactory.newInstance().newXPath();

    private static Document descriptor;

    @BeforeAll
    static void read() throws Exception {
        // without namespaces, so that paths are plain
        descriptor = DocumentBuilderFactory.newInstance()
                .newDocumentBuilder()
                .parse(Path.of("src/main/rar/META-INF/ra.xml").toFile());
    }

    private static List<String> all(String path) throws XPathExpressionException {
        NodeList nodes = (NodeList) XPATH.evaluate(path, descriptor, XPathConstants.NODESET);
        List<String> texts = new ArrayList<>();
        for (int i = 0; i < nodes.getLength(); i++) {
            texts.add(nodes.item(i).getTextContent().trim());
        }
        return texts;
    }

    private static String one(String path) throws XPathExpressionException {
        List<String> found = all(path);
        assertEquals(1, found.size(), path);
        return found.get(0);
    }

    private static Map<String, PropertyDescriptor> properties(Class<?> bean) throws Exception {
        BeanInfo info = Introspector.getBeanInfo(bean, Object.class);
        Map<String, PropertyDescriptor> properties = new HashMap<>();
        for (PropertyDescriptor property : info.getPropertyDescriptors()) {
            properties.put(property.getName(), property);
        }
        return properties;
    }

    @Test
    @DisplayName("ra.xml lists exactly the settings, each once and without a default")
    void settings() throws Exception {
        String properties = "/connector/resourceadapter/config-property";
        List<String> listed = all(properties + "/config-property-name");
        Set<String> keys =
                Arrays.stream(Setting.values()).map(Setting::key).collect(Collectors.toCollection(TreeSet::new));
        assertEquals(keys, new TreeSet<>(listed));
        assertEquals(keys.size(), listed.size());
        assertEquals(Set.of("java.lang.String"), Set.copyOf(all(properties + "/config-property-type")));
        assertEquals(List.of(), all(properties + "/config-property-value"), "the environment would never be asked");
        assertEquals(
                List.of(Setting.PASSWORD.key()),
                all(properties + "[config-property-confidential='true']/config-property-name"));
    }

    @ParameterizedTest
    @EnumSource(Setting.class)
    @DisplayName("The adapter has each setting as a property, null until it is set")
    void setters(Setting setting) throws Exception {
        PropertyDescriptor property = properties(SluiceResourceAdapter.class).get(setting.key());
        assertEquals(String.class, property.getPropertyType());
        SluiceResourceAdapter adapter = new SluiceResourceAdapter();
        assertNull(property.getReadMethod().invoke(adapter));
        property.getWriteMethod().invoke(adapter, "it");
        assertEquals("it", property.getReadMethod().invoke(adapter));
        for (PropertyDescriptor other : properties(SluiceResourceAdapter.class).values()) {
            if (other.getWriteMethod() != null && !other.getName().equals(setting.key())) {
                assertNull(other.getReadMethod().invoke(adapter), other.getName());
            }
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = Setting.class,
            names = {"URL", "SCHEMA", "MIGRATE", "NODE_TIMEOUT", "POLL_INTERVAL"})
    @DisplayName("What is set on the adapter reaches the setting of that name")
    void reachesTheEngine(Setting setting) throws Exception {
        SluiceResourceAdapter adapter = new SluiceResourceAdapter();
        properties(SluiceResourceAdapter.class)
                .get(setting.key())
                .getWriteMethod()
                .invoke(adapter, "'");
        SluiceException error =
                assertThrows(SluiceException.class, () -> adapter.engine().database());
        assertTrue(error.getMessage().contains("'"), error.getMessage());
        if (setting != Setting.SCHEMA) {
            assertTrue(error.getMessage().contains(setting.key()), error.getMessage());
        }
    }

    @Test
    @DisplayName("The adapter has no properties but the settings")
    void noOthers() throws Exception {
        Set<String> writable = properties(SluiceResourceAdapter.class).values().stream()
                .filter(property -> property.getWriteMethod() != null)
                .map(PropertyDescriptor::getName)
                .collect(Collectors.toSet());
        assertEquals(Arrays.stream(Setting.values()).map(Setting::key).collect(Collectors.toSet()), writable);
    }

    @Test
    @DisplayName("The classes that ra.xml names are what it says they are")
    void classes() throws Exception {
        assertTrue(ResourceAdapter.class.isAssignableFrom(Class.forName(one("//resourceadapter-class"))));
        assertTrue(ManagedConnectionFactory.class.isAssignableFrom(
                Class.forName(one("//managedconnectionfactory-class"))));
        assertImplements(one("//connectionfactory-impl-class"), one("//connectionfactory-interface"));
        assertImplements(one("//connection-impl-class"), one("//connection-interface"));
        for (String spec : all("//activationspec-class")) {
            assertTrue(ActivationSpec.class.isAssignableFrom(Class.forName(spec)), spec);
        }
        List<String> listeners = all("//messagelistener-type");
        assertEquals(all("//activationspec-class").size(), listeners.size());
        for (String listener : listeners) {
            assertTrue(Class.forName(listener).isInterface(), listener);
        }
        List<String> interfaces = all("//adminobject-interface");
        List<String> implementations = all("//adminobject-class");
        assertEquals(interfaces.size(), implementations.size());
        for (int i = 0; i < interfaces.size(); i++) {
            assertImplements(implementations.get(i), interfaces.get(i));
            for (String property : all("//adminobject[" + (i + 1) + "]/config-property/config-property-name")) {
                assertTrue(
                        properties(Class.forName(implementations.get(i)))
                                        .get(property)
                                        .getWriteMethod()
                                != null,
                        property);
            }
        }
    }

    private static void assertImplements(String implementation, String type) throws ClassNotFoundException {
        assertTrue(
                Class.forName(type).isAssignableFrom(Class.forName(implementation)), implementation + " is no " + type);
    }
}
