-- What a client needs to enqueue, table by table. Run it as sluice_owner or a superuser once the first server has created
-- the tables, and again after an upgrade. Safe to run again.

grant execute on function
    sluice.enqueue(text, text, text, int, interval),
    sluice.enqueue_many(text, text, text[], int, interval),
    sluice.check_job(text, text, bigint, int, interval),
    sluice.enter(text, smallint, bigint, text, json, int, boolean, timestamptz, bigint),
    sluice.enter_many(text, smallint, text, text[]),
    sluice.schedule(interval, bigint, text, smallint, text, json, int, boolean, timestamptz, text)
  to sluice_producer;

-- The functions work with the caller's rights.
grant select on sluice.queue to sluice_producer;
-- which tables take what is new
grant select on sequence sluice.job_epoch, sluice.scheduled_epoch to sluice_producer;
grant insert, select (pos, id) on
    sluice.job_1, sluice.job_2, sluice.job_3, sluice.job_4, sluice.job_5, sluice.job_6
  to sluice_producer;
grant insert, select (run_at) on sluice.scheduled_1, sluice.scheduled_2, sluice.scheduled_3 to sluice_producer;
grant usage on sequence sluice.job_id, sluice.job_pos to sluice_producer;
