package dev.sluice.rar;

import dev.sluice.api.JobContext;
import dev.sluice.api.OnJob;
import dev.sluice.engine.queue.Job;
import jakarta.ejb.EJBException;
import jakarta.resource.NotSupportedException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.Type;
import java.util.Map;
import java.util.TreeMap;

/**
 * One {@link OnJob} method of a handler bean.
 *
 * @param method      the method of the bean's class; containers find it on their proxy by its name and parameters
 * @param payloadType the type of its payload parameter; null if it takes none
 */
record HandlerMethod(Method method, Type payloadType) {

    /**
     * The handlers of a bean by kind.
     *
     * @throws NotSupportedException if a method cannot be called or two handle the same kind; names the method
     */
    static Map<String, HandlerMethod> of(Class<?> bean) throws NotSupportedException {
        Map<String, HandlerMethod> handlers = new TreeMap<>();
        for (Class<?> type = bean; type != null; type = type.getSuperclass()) {
            for (Method method : type.getDeclaredMethods()) {
                OnJob onJob = method.getAnnotation(OnJob.class);
                if (onJob == null || method.isBridge()) {
                    continue;
                }
                HandlerMethod handler = new HandlerMethod(method, payloadType(method));
                HandlerMethod other = handlers.putIfAbsent(onJob.value(), handler);
                if (other != null && other.method().getDeclaringClass() == type) {
                    throw new NotSupportedException(
                            "Two methods handle kind \"" + onJob.value() + "\": " + method + " and " + other.method());
                }
            }
        }
        if (handlers.isEmpty()) {
            throw new NotSupportedException(
                    bean.getName() + " implements JobListener but has no method annotated with @OnJob");
        }
        return handlers;
    }

    private static Type payloadType(Method method) throws NotSupportedException {
        int modifiers = method.getModifiers();
        if (!Modifier.isPublic(modifiers) || Modifier.isStatic(modifiers) || Modifier.isFinal(modifiers)) {
            throw new NotSupportedException("An @OnJob method is public, and neither static nor final: " + method);
        }
        Type payload = null;
        boolean context = false;
        for (int i = 0; i < method.getParameterCount(); i++) {
            if (method.getParameterTypes()[i] == JobContext.class) {
                if (context) {
                    throw new NotSupportedException("An @OnJob method takes one JobContext at most: " + method);
                }
                context = true;
            } else {
                if (payload != null) {
                    throw new NotSupportedException("An @OnJob method takes one payload at most: " + method);
                }
                payload = method.getGenericParameterTypes()[i];
            }
        }
        return payload;
    }

    /**
     * Calls the handler on the container's proxy of the bean.
     *
     * @throws Throwable what the handler or the container threw, or why the payload cannot be read
     */
    void invoke(Object endpoint, Job job) throws Throwable {
        Object[] arguments = new Object[method.getParameterCount()];
        for (int i = 0; i < arguments.length; i++) {
            arguments[i] = method.getParameterTypes()[i] == JobContext.class
                    ? new ClaimedJobContext(job)
                    : Payloads.read(job.payload(), payloadType);
            if (arguments[i] == null && method.getParameterTypes()[i].isPrimitive()) {
                throw new IllegalArgumentException("the payload is null, which a parameter of type "
                        + method.getParameterTypes()[i] + " cannot be. Enqueue a value, or take an object type");
            }
        }
        try {
            method.invoke(endpoint, arguments);
        } catch (InvocationTargetException e) {
            Throwable thrown = e.getCause();
            // what the handler threw, rather than the container's wrapping of it (Enterprise Beans 4.0, section 9.3.4)
            throw thrown instanceof EJBException && thrown.getCause() != null ? thrown.getCause() : thrown;
        }
    }
}
