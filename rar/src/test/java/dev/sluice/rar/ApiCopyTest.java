package dev.sluice.rar;

import static org.junit.jupiter.api.Assertions.assertDoesNotThrow;
import static org.junit.jupiter.api.Assertions.assertThrows;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.sluice.api.JobListener;
import dev.sluice.api.OnJob;
import jakarta.resource.NotSupportedException;
import java.net.URL;
import java.net.URLClassLoader;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;

class ApiCopyTest {

    /** A handler bean. */
    public static class Jobs implements JobListener {
        @OnJob("one")
        public void one() {}
    }

    @Test
    @DisplayName("A bean whose application has a copy of the API is refused, and the copy named; others are not")
    void copy() throws Exception {
        URL tests = Jobs.class.getProtectionDomain().getCodeSource().getLocation();
        URL api = OnJob.class.getProtectionDomain().getCodeSource().getLocation();
        try (URLClassLoader application =
                new URLClassLoader(new URL[] {tests, api}, ClassLoader.getPlatformClassLoader())) {
            Class<?> bean = application.loadClass(Jobs.class.getName());
            NotSupportedException refusal = assertThrows(NotSupportedException.class, () -> ApiCopy.refuse(bean));
            assertTrue(
                    refusal.getMessage().contains(Jobs.class.getName())
                            && refusal.getMessage().contains(api.getPath())
                            && refusal.getMessage().contains("provided"),
                    refusal.getMessage());
        }
        assertDoesNotThrow(() -> ApiCopy.refuse(Jobs.class));
    }

    @Test
    @DisplayName("A bean whose application does not see the adapter is refused")
    void nothing() {
        NotSupportedException refusal =
                assertThrows(NotSupportedException.class, () -> ApiCopy.refuse(java.util.logging.Logger.class));
        assertTrue(refusal.getMessage().contains("classProviderRef"), refusal.getMessage());
    }
}
