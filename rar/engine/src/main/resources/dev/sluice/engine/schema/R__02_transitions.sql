-- What becomes of a claimed job other than being acknowledged, and of the jobs of a node that is gone. A null lease is
-- that of a job which a transaction had taken that was rolled back.

create or replace function ${schema}.backoff(base interval, cap interval, failed_attempts int)
returns interval language sql volatile set search_path = pg_catalog, pg_temp as $$
  -- In seconds as a floating point number, which no number of attempts makes overflow before the cap is applied. Three
  -- quarters of it to the whole, so that what failed together does not come back together.
  select least(
      extract(epoch from cap)::float8,
      extract(epoch from base)::float8 * 2.0::float8 ^ least(failed_attempts - 1, 500)::float8)
    * (0.75::float8 + 0.25::float8 * random()) * interval '1 s'
$$;

create or replace function ${schema}.fail(
  queue text, priority smallint, pos bigint, lease bigint, error text)
returns text language sql set search_path = pg_catalog, pg_temp as $$
  with failed as (
    delete from ${schema}.job_1 j
    where j.queue = $1 and j.priority = $2 and j.pos = $3 and j.lease is not distinct from $4
    returning j.*
  ), judged as (
    -- the queue may have been removed; its jobs must not go with it
    select f.*, f.attempt + 1 >= coalesce(q.max_attempts, 5) as dead,
      clock_timestamp() + ${schema}.backoff(
        coalesce(q.backoff, '1 s'), coalesce(q.backoff_cap, '1 h'), f.attempt + 1) as next_run
    from failed f left join ${schema}.queue q on q.name = f.queue
  ), retried as (
    insert into ${schema}.scheduled (run_at, id, queue, priority, kind, payload, attempt, enqueued_at, error)
    select next_run, id, queue, priority, kind, payload, attempt + 1, enqueued_at, $5 from judged where not dead
  ), buried as (
    insert into ${schema}.dead_letter (id, queue, priority, kind, payload, attempt, enqueued_at, error)
    select id, queue, priority, kind, payload, attempt + 1, enqueued_at, $5 from judged where dead
    on conflict (id) do update
      set payload = excluded.payload, attempt = excluded.attempt, died_at = excluded.died_at, error = excluded.error
  )
  select case when dead then 'dead letter' else 'scheduled' end from judged
$$;
comment on function ${schema}.fail is 'Counts a failed attempt: the job waits for the next or becomes a dead letter; null if the lease is not ours any more';

create or replace function ${schema}.defer(
  queue text, priority smallint, pos bigint, lease bigint, delay interval)
returns void language sql set search_path = pg_catalog, pg_temp as $$
  with deferred as (
    delete from ${schema}.job_1 j
    where j.queue = $1 and j.priority = $2 and j.pos = $3 and j.lease is not distinct from $4
    returning j.*
  )
  insert into ${schema}.scheduled (run_at, id, queue, priority, kind, payload, attempt, alone, enqueued_at)
  select clock_timestamp() + $5, id, queue, priority, kind, payload, attempt, alone, enqueued_at from deferred
$$;
comment on function ${schema}.defer is 'Puts a job back uncounted, to run after a delay';

create or replace function ${schema}.rescue(self bigint, known bigint[])
returns bigint language plpgsql set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
declare
  -- once: a rescue that takes long must not make the living look dead
  started constant timestamptz := clock_timestamp();
  lost record;
  died boolean;
  moved bigint;
  total bigint := 0;
begin
  -- A node that is silent may only be frozen, or cut off: what its handlers hold in open transactions is free once their
  -- sessions have ended.
  perform pg_terminate_backend(a.pid)
  from ${schema}.node n join pg_stat_activity a on a.application_name = 'sluice delivery ' || n.id
  where n.seen_at + n.timeout < started and a.datname = current_database() and pg_has_role(a.usesysid, 'usage');
  for lost in
    select c.* from ${schema}.claim_1 c left join ${schema}.node n on n.id = c.node
    where n.id is null
      or n.seen_at + n.timeout < started
      -- our own whose answer never reached us; the age leaves out the claim that is just being made
      or (c.node = $1 and c.lease <> all($2) and c.claimed_at < started - interval '5 s')
    order by c.lease
    for update of c skip locked
  loop
    died := lost.node <> $1;
    with taken as (
      delete from ${schema}.job_1
      where ctid = any(array(
        select ctid from ${schema}.job_1 j
        where j.queue = lost.queue and j.priority = lost.priority
          and j.pos between lost.first_pos and lost.last_pos and j.lease = lost.lease
        -- a row locked here is being acknowledged, perhaps by a prepared transaction
        for update skip locked))
      returning *
    ), judged as (
      select t.*, t.attempt + (died and t.alone)::int as attempts, coalesce(q.max_attempts, 5) as max_attempts
      from taken t left join ${schema}.queue q on q.name = t.queue
    ), revived as (
      insert into ${schema}.job_1 (queue, priority, id, kind, payload, attempt, alone, enqueued_at)
      select queue, priority, id, kind, payload, attempts, alone or died, enqueued_at
      from judged where attempts < max_attempts order by pos
    ), buried as (
      insert into ${schema}.dead_letter (id, queue, priority, kind, payload, attempt, enqueued_at, error)
      select id, queue, priority, kind, payload, attempts, enqueued_at,
        format('node %s died while it ran this job', lost.node)
      from judged where attempts >= max_attempts
      on conflict (id) do update
        set payload = excluded.payload, attempt = excluded.attempt, died_at = excluded.died_at, error = excluded.error
    )
    select count(*) into moved from judged;
    total := total + moved;
    if exists (
      select from ${schema}.job_1 j
      where j.queue = lost.queue and j.priority = lost.priority
        and j.pos between lost.first_pos and lost.last_pos and j.lease = lost.lease)
    then
      update ${schema}.claim_1 c set node = 0
      where c.lease = lost.lease and c.priority = lost.priority and c.node <> 0;
    else
      delete from ${schema}.claim_1 c where c.lease = lost.lease and c.priority = lost.priority;
    end if;
  end loop;
  delete from ${schema}.node n
  where n.seen_at + 10.0::float8 * n.timeout < started
    and not exists (select from ${schema}.claim_1 c where c.node = n.id)
    and not exists (select from ${schema}.permit p where p.node = n.id);
  return total;
end $$;
comment on function ${schema}.rescue is 'Frees the jobs of nodes that are gone, and those that node self holds without knowing it';
