package dev.sluice.it.container;

import jakarta.persistence.PersistenceContext;
import jakarta.servlet.annotation.WebServlet;
import jakarta.servlet.http.HttpServlet;

/** Declares for the web module, and so for the test in it, what a servlet gets of the persistence unit of the handlers. */
@WebServlet("/items")
@PersistenceContext(name = ItemsServlet.ENTITIES, unitName = "more-handlers.jar#items")
public class ItemsServlet extends HttpServlet {

    static final String ENTITIES = "persistence/items";

    private static final long serialVersionUID = 1L;
}
