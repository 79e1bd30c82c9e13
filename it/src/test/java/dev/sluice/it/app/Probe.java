package dev.sluice.it.app;

import dev.sluice.api.JobQueue;
import dev.sluice.ejb.ReportRuns;
import jakarta.annotation.Resource;
import jakarta.ejb.EJB;
import jakarta.servlet.annotation.WebServlet;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;
import java.sql.SQLException;

/** What a test outside the server has done inside it. */
@WebServlet({"/report", "/enqueue", "/order"})
public class Probe extends HttpServlet {

    private static final long serialVersionUID = 1L;

    @EJB
    private transient ReportRuns reports;

    @EJB
    private transient Orders orders;

    @Resource(lookup = "sluice/jobs")
    private transient JobQueue jobs;

    @Override
    protected void doPost(HttpServletRequest request, HttpServletResponse response) throws IOException {
        String report = request.getParameter("report");
        long number = switch (request.getServletPath()) {
            case "/report" -> reports.start(report == null ? "pause" : report, null);
            case "/order" -> order();
            default -> jobs.enqueue(request.getParameter("queue"), request.getParameter("kind"), new Entry(1, "probe"));
        };
        response.getWriter().print(number);
    }

    private long order() throws IOException {
        try {
            return orders.order();
        } catch (SQLException e) {
            throw new IOException(e);
        }
    }
}
