package dev.sluice.it.container;

import jakarta.persistence.PersistenceContext;
import jakarta.servlet.annotation.WebServlet;
import jakarta.servlet.http.HttpServlet;

/** Declares for the web module, and so for the test in it, what a servlet gets of its persistence unit. */
@WebServlet("/items")
@PersistenceContext(name = ItemsServlet.ENTITIES, unitName = "items")
public class ItemsServlet extends HttpServlet {

    static final String ENTITIES = "persistence/items";

    private static final long serialVersionUID = 1L;
}
