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

/** What a test outside the server has done inside it. */
@WebServlet({"/report", "/enqueue"})
public class Probe extends HttpServlet {

    private static final long serialVersionUID = 1L;

    @EJB
    private transient ReportRuns reports;

    @Resource(lookup = "sluice/jobs")
    private transient JobQueue jobs;

    @Override
    protected void doPost(HttpServletRequest request, HttpServletResponse response) throws IOException {
        String report = request.getParameter("report");
        long number = request.getServletPath().equals("/report")
                ? reports.start(report == null ? "pause" : report, null)
                : jobs.enqueue(request.getParameter("queue"), request.getParameter("kind"), new Entry(1, "probe"));
        response.getWriter().print(number);
    }
}
