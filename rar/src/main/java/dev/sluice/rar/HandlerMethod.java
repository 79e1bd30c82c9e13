package dev.sluice.rar;

import dev.sluice.api.JobContext;
import dev.sluice.api.RawJobListener;
import dev.sluice.engine.queue.Job;
import jakarta.ejb.EJBException;
import jakarta.resource.NotSupportedException;
import java.lang.reflect.InvocationTargetException;
import java.lang.reflect.Method;
import java.lang.reflect.Modifier;
import java.lang.reflect.ParameterizedType;
import java.lang.reflect.Type;
import java.lang.reflect.WildcardType;
import java.util.ArrayList;
import java.util.List;

/** A method of a handler bean, and how jobs become its arguments. */
final class HandlerMethod {

    /** Makes one argument of the jobs of a call. */
    private interface Argument {
        Object of(List<Job> jobs);
    }

    private final Method method;
    private final boolean takesBatch;
    private final List<Argument> arguments;

    private HandlerMethod(Method method, boolean takesBatch, List<Argument> arguments) {
        this.method = method;
        this.takesBatch = takesBatch;
        this.arguments = arguments;
    }

    /** The method of {@link RawJobListener}. */
    static HandlerMethod raw() {
        try {
            Method onJob = RawJobListener.class.getMethod("onJob", dev.sluice.api.Job.class);
            return new HandlerMethod(onJob, false, List.of(jobs -> new ClaimedJob(jobs.get(0))));
        } catch (NoSuchMethodException e) {
            throw new IllegalStateException(e);
        }
    }

    /**
     * A method annotated with {@link dev.sluice.api.OnJob}.
     *
     * @throws NotSupportedException if it cannot be called; names the method
     */
    static HandlerMethod of(Method method) throws NotSupportedException {
        int modifiers = method.getModifiers();
        if (!Modifier.isPublic(modifiers) || Modifier.isStatic(modifiers) || Modifier.isFinal(modifiers)) {
            throw new NotSupportedException("An @OnJob method is public, and neither static nor final: " + method);
        }
        int lists = 0;
        int contexts = 0;
        List<Argument> arguments = new ArrayList<>();
        for (Type type : method.getGenericParameterTypes()) {
            Type element = elementOfList(type);
            lists += element == null ? 0 : 1;
            Type one = element == null ? type : element;
            contexts += one == JobContext.class ? 1 : 0;
            arguments.add(
                    element == null
                            ? jobs -> argument(jobs.get(0), type)
                            : jobs -> jobs.stream()
                                    .map(job -> argument(job, element))
                                    .toList());
        }
        if (contexts > 1) {
            throw new NotSupportedException("An @OnJob method takes one JobContext at most: " + method);
        }
        if (arguments.size() - contexts > 1) {
            throw new NotSupportedException("An @OnJob method takes one payload at most: " + method);
        }
        if (lists > 0 && lists < arguments.size()) {
            throw new NotSupportedException(
                    "An @OnJob method that takes a List is given several jobs, so all that it takes"
                            + " are Lists, List<JobContext> too; a payload that is a JSON array is taken as an array type: "
                            + method);
        }
        return new HandlerMethod(method, lists > 0, arguments);
    }

    /** Null if it is no list. */
    private static Type elementOfList(Type type) {
        if (type == List.class) {
            return Object.class;
        }
        if (type instanceof ParameterizedType list && list.getRawType() == List.class) {
            Type element = list.getActualTypeArguments()[0];
            return element instanceof WildcardType wildcard ? wildcard.getUpperBounds()[0] : element;
        }
        return null;
    }

    private static Object argument(Job job, Type type) {
        if (type == JobContext.class) {
            return new ClaimedJob(job);
        }
        Object payload = Payloads.read(job.payload(), type);
        if (payload == null && type instanceof Class<?> primitive && primitive.isPrimitive()) {
            throw new IllegalArgumentException("the payload is null, which a parameter of type " + type
                    + " cannot be. Enqueue a value, or take an object type");
        }
        return payload;
    }

    /** The method of the bean's class or interface; containers find it on their proxy by its name and parameters. */
    Method method() {
        return method;
    }

    /** Whether one call takes several jobs. */
    boolean takesBatch() {
        return takesBatch;
    }

    /**
     * Calls the handler on the container's proxy of the bean.
     *
     * @param jobs one, unless the method takes several
     * @throws Throwable what the handler or the container threw, or why a payload cannot be read
     */
    void invoke(Object endpoint, List<Job> jobs) throws Throwable {
        Object[] values = arguments.stream().map(argument -> argument.of(jobs)).toArray();
        try {
            method.invoke(endpoint, values);
        } catch (InvocationTargetException e) {
            Throwable thrown = e.getCause();
            // what the handler threw, rather than the container's wrapping of it (Enterprise Beans 4.0, section 9.3.4)
            throw thrown instanceof EJBException && thrown.getCause() != null ? thrown.getCause() : thrown;
        }
    }
}
