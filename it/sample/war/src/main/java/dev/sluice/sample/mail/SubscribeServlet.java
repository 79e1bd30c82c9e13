package dev.sluice.sample.mail;

import dev.sluice.api.JobQueue;
import jakarta.annotation.Resource;
import jakarta.servlet.annotation.WebServlet;
import jakarta.servlet.http.HttpServlet;
import jakarta.servlet.http.HttpServletRequest;
import jakarta.servlet.http.HttpServletResponse;
import java.io.IOException;

/** Has a new subscriber, the parameter {@code recipient}, welcomed; answers with the job's id. */
@WebServlet("/subscribe")
public class SubscribeServlet extends HttpServlet {

    private static final long serialVersionUID = 1L;

    @Resource(lookup = "sluice/jobs")
    private transient JobQueue jobs;

    @Override
    protected void doPost(HttpServletRequest request, HttpServletResponse response) throws IOException {
        response.getWriter().print(jobs.enqueue("mail", "welcome", new Welcome(request.getParameter("recipient"))));
    }
}
