-- What a client needs to enqueue, table by table. Run it as sluice_owner or a superuser once the first server has created
-- the tables, and again after an upgrade. Safe to run again.

grant execute on function
    sluice.enqueue(text, text, text, int, interval),
    sluice.enqueue_many(text, text, text[], int, interval),
    sluice.check_job(text, text, bigint, int, interval)
  to sluice_producer;

-- The functions work with the caller's rights.
grant select on sluice.queue to sluice_producer;
grant insert, select (id) on sluice.job_1, sluice.scheduled to sluice_producer;
grant usage on sequence sluice.job_id, sluice.job_pos to sluice_producer;
