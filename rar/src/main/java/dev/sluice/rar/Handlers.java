package dev.sluice.rar;

import dev.sluice.api.OnJob;
import dev.sluice.api.RawJobListener;
import jakarta.resource.NotSupportedException;
import java.lang.reflect.Method;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.stream.Collectors;

/** What a bean handles: kinds, each by a method of its own, or all kinds by one. */
final class Handlers {

    private final Map<String, HandlerMethod> byKind;
    /** Null if it handles only some kinds. */
    private final HandlerMethod ofAll;

    private Handlers(Map<String, HandlerMethod> byKind, HandlerMethod ofAll) {
        this.byKind = byKind;
        this.ofAll = ofAll;
    }

    /**
     * The handlers of a bean.
     *
     * @throws NotSupportedException if a method cannot be called or two handle the same kind; names the method
     */
    static Handlers of(Class<?> bean) throws NotSupportedException {
        Map<String, HandlerMethod> byKind = new TreeMap<>();
        for (Class<?> type = bean; type != null; type = type.getSuperclass()) {
            for (Method method : type.getDeclaredMethods()) {
                OnJob onJob = method.getAnnotation(OnJob.class);
                if (onJob == null || method.isBridge()) {
                    continue;
                }
                HandlerMethod other = byKind.putIfAbsent(onJob.value(), HandlerMethod.of(method));
                if (other != null && other.method().getDeclaringClass() == type) {
                    throw new NotSupportedException(
                            "Two methods handle kind \"" + onJob.value() + "\": " + method + " and " + other.method());
                }
            }
        }
        if (RawJobListener.class.isAssignableFrom(bean)) {
            if (!byKind.isEmpty()) {
                throw new NotSupportedException(
                        bean.getName() + " implements RawJobListener, which takes every kind, and"
                                + " has a method annotated with @OnJob: make two beans of it");
            }
            return new Handlers(Map.of(), HandlerMethod.raw());
        }
        if (byKind.isEmpty()) {
            throw new NotSupportedException(
                    bean.getName() + " implements JobListener but has no method annotated with @OnJob");
        }
        return new Handlers(byKind, null);
    }

    /** The kinds that it handles; empty for all. */
    Set<String> kinds() {
        return byKind.keySet();
    }

    /** Those of which one call handles several jobs. */
    Set<String> batchKinds() {
        return byKind.entrySet().stream()
                .filter(handler -> handler.getValue().takesBatch())
                .map(Map.Entry::getKey)
                .collect(Collectors.toSet());
    }

    Collection<HandlerMethod> all() {
        return ofAll == null ? byKind.values() : List.of(ofAll);
    }

    /** The handler of a kind that it handles. */
    HandlerMethod of(String kind) {
        return ofAll == null ? byKind.get(kind) : ofAll;
    }
}
