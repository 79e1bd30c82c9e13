package dev.sluice.rar;

import jakarta.resource.Referenceable;
import jakarta.resource.ResourceException;
import jakarta.resource.spi.ResourceAdapter;
import jakarta.resource.spi.ResourceAdapterAssociation;
import java.io.Serializable;
import javax.naming.NamingException;
import javax.naming.Reference;

/** What administered objects have in common: the adapter they belong to (Jakarta Connectors 2.1, section 20.4). */
abstract class AdministeredObject implements ResourceAdapterAssociation, Referenceable, Serializable {

    private static final long serialVersionUID = 1L;

    private transient SluiceResourceAdapter adapter;
    private Reference reference;

    SluiceResourceAdapter adapter() {
        return adapter;
    }

    @Override
    public ResourceAdapter getResourceAdapter() {
        return adapter;
    }

    @Override
    public void setResourceAdapter(ResourceAdapter resourceAdapter) throws ResourceException {
        if (!(resourceAdapter instanceof SluiceResourceAdapter sluice)) {
            throw new ResourceException("Not the adapter of Sluice: " + resourceAdapter);
        }
        adapter = sluice;
    }

    @Override
    public void setReference(Reference reference) {
        this.reference = reference;
    }

    @Override
    public Reference getReference() throws NamingException {
        return reference;
    }
}
