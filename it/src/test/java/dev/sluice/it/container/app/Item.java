package dev.sluice.it.container.app;

import jakarta.persistence.CascadeType;
import jakarta.persistence.Column;
import jakarta.persistence.Entity;
import jakarta.persistence.FetchType;
import jakarta.persistence.Id;
import jakarta.persistence.ManyToOne;
import jakarta.persistence.OneToMany;
import jakarta.persistence.Table;
import jakarta.persistence.Version;
import java.util.ArrayList;
import java.util.List;

/** Something with an identity that is given to it, so that many are inserted in one batch. */
@Entity
@Table(name = "item")
public class Item {

    @Id
    private long id;

    @Column
    private String text;

    @Version
    private int version;

    @ManyToOne(fetch = FetchType.LAZY)
    private Item parent;

    @OneToMany(mappedBy = "parent", fetch = FetchType.LAZY, cascade = CascadeType.PERSIST)
    private List<Item> parts = new ArrayList<>();

    protected Item() {}

    public Item(long id, String text) {
        this.id = id;
        this.text = text;
    }

    public void add(Item part) {
        part.parent = this;
        parts.add(part);
    }

    public String text() {
        return text;
    }

    public void rename(String name) {
        text = name;
    }

    public List<Item> parts() {
        return parts;
    }
}
