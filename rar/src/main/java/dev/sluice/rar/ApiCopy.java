package dev.sluice.rar;

import dev.sluice.api.OnJob;
import jakarta.resource.NotSupportedException;
import java.security.CodeSource;

/**
 * A copy of Sluice's API in an application. Its classes have the names of ours and are not ours: annotations are not found,
 * and nothing that the adapter gives out fits.
 */
final class ApiCopy {

    private ApiCopy() {}

    /** @throws NotSupportedException if the application of this bean has one; says where */
    static void refuse(Class<?> bean) throws NotSupportedException {
        Class<?> theirs;
        try {
            theirs = Class.forName(OnJob.class.getName(), false, bean.getClassLoader());
        } catch (ClassNotFoundException e) {
            throw new NotSupportedException(
                    "The application of " + bean.getName() + " does not see the adapter's classes: give it <classloader"
                            + " classProviderRef=\"...\"/> with the adapter's id in server.xml",
                    e);
        }
        if (theirs != OnJob.class) {
            throw new NotSupportedException(
                    "The application of " + bean.getName() + " has a copy of Sluice's API of its"
                            + " own, in " + origin(theirs) + ", and so does not fit to the adapter. Leave it out of the"
                            + " application: in Maven, sluice-api has the scope provided");
        }
    }

    /** Where a class is from, for a person. */
    static String origin(Class<?> type) {
        CodeSource source = type.getProtectionDomain().getCodeSource();
        return source == null
                ? String.valueOf(type.getClassLoader())
                : source.getLocation().getPath();
    }
}
