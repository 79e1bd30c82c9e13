-- What becomes of a claimed job other than being acknowledged, and of the jobs of a node that is gone. A null lease is
-- that of a job which a transaction had taken that was rolled back.
--
-- What waits again enters anew, at the end of the current epoch: no row that was passed by ever waits at its old position.

create or replace function ${schema}.backoff(base interval, cap interval, failed_attempts int)
returns interval language sql volatile set search_path = pg_catalog, pg_temp as $$
  -- In seconds as a floating point number, which no number of attempts makes overflow before the cap is applied. Three
  -- quarters of it to the whole, so that what failed together does not come back together.
  select least(
      extract(epoch from cap)::float8,
      extract(epoch from base)::float8 * 2.0::float8 ^ least(failed_attempts - 1, 500)::float8)
    * (0.75::float8 + 0.25::float8 * random()) * interval '1 s'
$$;

create or replace function ${schema}.find_leased(lease bigint, id bigint)
returns table (epoch int, queue text, priority smallint, pos bigint)
language sql stable
set search_path = pg_catalog, pg_temp set enable_seqscan = off set enable_bitmapscan = off as $$
  select j.epoch, j.queue, j.priority, j.pos
  from ${schema}.claim c join ${schema}.job j
    on j.epoch = c.epoch and j.queue = c.queue and j.priority = c.priority and j.pos between c.first_pos and c.last_pos
  where c.lease = $1 and j.lease = $1 and j.id = $2
$$;
comment on function ${schema}.find_leased is 'Where a leased job is now, if it was carried over to another epoch';

create or replace function ${schema}.withdraw(
  epoch int, queue text, priority smallint, pos bigint, lease bigint, id bigint)
returns setof ${schema}.job_1 language plpgsql set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
declare
  job ${schema}.job_1;
  place record;
begin
  -- the identity too, since a crash may have set the positions back
  execute format('delete from ${schema}.job_%s where queue = $1 and priority = $2 and pos = $3'
    ' and lease is not distinct from $4 and id = $5 returning *', $1) into job using $2, $3, $4, $5, $6;
  -- it may be carried over once more in between
  for look in 1..3 loop
    exit when job.id is not null or $5 is null;
    select * into place from ${schema}.find_leased($5, $6);
    exit when not found;
    execute format('delete from ${schema}.job_%s where queue = $1 and priority = $2 and pos = $3'
      ' and lease = $4 and id = $5 returning *', place.epoch)
      into job using place.queue, place.priority, place.pos, $5, $6;
  end loop;
  if job.id is not null then
    return next job;
  end if;
end $$;
comment on function ${schema}.withdraw is 'Deletes a claimed job whose lease is still ours, wherever it is now, and returns it';

create or replace function ${schema}.bury(job ${schema}.job_1, attempts int, error text)
returns void language sql set search_path = pg_catalog, pg_temp as $$
  insert into ${schema}.dead_letter (id, queue, priority, kind, payload, attempt, enqueued_at, error)
  values ($1.id, $1.queue, $1.priority, $1.kind, $1.payload, $2, $1.enqueued_at, $3)
  on conflict (id) do update
    set payload = excluded.payload, attempt = excluded.attempt, died_at = excluded.died_at, error = excluded.error
$$;

create or replace function ${schema}.fail(
  epoch int, queue text, priority smallint, pos bigint, lease bigint, id bigint, error text)
returns text language plpgsql set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
declare
  job ${schema}.job_1;
  policy ${schema}.queue;
begin
  select * into job from ${schema}.withdraw($1, $2, $3, $4, $5, $6);
  if not found then
    return null;
  end if;
  -- the queue may have been removed; its jobs must not go with it
  select * into policy from ${schema}.queue q where q.name = job.queue;
  if job.attempt + 1 >= coalesce(policy.max_attempts, 5) then
    perform ${schema}.bury(job, job.attempt + 1, $7);
    return 'dead letter';
  end if;
  perform ${schema}.schedule(
    ${schema}.backoff(coalesce(policy.backoff, '1 s'), coalesce(policy.backoff_cap, '1 h'), job.attempt + 1),
    job.id, job.queue, job.priority, job.kind, job.payload, job.attempt + 1, false, job.enqueued_at, $7);
  return 'scheduled';
end $$;
comment on function ${schema}.fail is 'Counts a failed attempt: the job waits for the next or becomes a dead letter; null if the lease is not ours any more';

create or replace function ${schema}.defer(
  epoch int, queue text, priority smallint, pos bigint, lease bigint, id bigint, delay interval)
returns void language sql set search_path = pg_catalog, pg_temp as $$
  select ${schema}.schedule($7, id, queue, priority, kind, payload, attempt, alone, enqueued_at)
  from ${schema}.withdraw($1, $2, $3, $4, $5, $6)
$$;
comment on function ${schema}.defer is 'Puts a job back uncounted, to run after a delay';

create or replace function ${schema}.put_back(
  epoch int, queue text, priority smallint, pos bigint, lease bigint, id bigint, alone boolean)
returns void language sql set search_path = pg_catalog, pg_temp as $$
  select ${schema}.enter(queue, priority, id, kind, payload, attempt, alone or $7, enqueued_at)
  from ${schema}.withdraw($1, $2, $3, $4, $5, $6)
$$;
comment on function ${schema}.put_back is 'Puts a job back uncounted, to run now; alone: it has to run by itself';

create or replace function ${schema}.decide(
  epoch int, queue text, priority smallint, pos bigint, lease bigint, id bigint)
returns boolean language plpgsql set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
declare
  there boolean;
begin
  -- waits for the transaction that deleted the row, if the server still works on it
  execute format('select true from ${schema}.job_%s where queue = $1 and priority = $2 and pos = $3'
    ' and lease is not distinct from $4 and id = $5 for update', $1) into there using $2, $3, $4, $5, $6;
  if there then
    return false;
  end if;
  if $5 is null then
    if exists (select from ${schema}.job j where j.id = $6) then
      return false;
    end if;
    -- another node has run it since, in vain
    return case when not exists (select from ${schema}.scheduled s where s.id = $6)
      and not exists (select from ${schema}.dead_letter d where d.id = $6) then true end;
  end if;
  if exists (select from ${schema}.find_leased($5, $6)) then
    return false;
  end if;
  return case when exists (select from ${schema}.claim c where c.lease = $5 and c.priority = $3 and c.node <> 0) then true end;
end $$;
comment on function ${schema}.decide is 'Whether an acknowledgement whose answer was lost was committed; null if it cannot be told, since the job was rescued meanwhile';

create or replace function ${schema}.rescue(self bigint, known bigint[])
returns bigint language plpgsql set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
declare
  -- once: a rescue that takes long must not make the living look dead
  started constant timestamptz := clock_timestamp();
  lost record;
  place ${schema}.claim_1;
  died boolean;
  leased boolean;
  job ${schema}.job_1;
  attempts int;
  total bigint := 0;
begin
  -- A node that is silent may only be frozen, or cut off: what its handlers hold in open transactions is free once their
  -- sessions have ended.
  perform pg_terminate_backend(a.pid)
  from ${schema}.node n join pg_stat_activity a on a.application_name = 'sluice delivery ' || n.id
  where n.seen_at + n.timeout < started and a.datname = current_database() and pg_has_role(a.usesysid, 'usage');
  for lost in
    select c.* from ${schema}.claim c left join ${schema}.node n on n.id = c.node
    where n.id is null
      or n.seen_at + n.timeout < started
      -- our own whose answer never reached us; the age leaves out the claim that is just being made
      or (c.node = $1 and c.lease <> all($2) and c.claimed_at < started - interval '5 s')
    order by c.lease
  loop
    -- as it is now: a claim may have been widened meanwhile, when its last jobs were carried over
    execute format('select * from ${schema}.claim_%s c where c.lease = $1 and c.priority = $2 for update skip locked',
      lost.epoch) into place using lost.lease, lost.priority;
    continue when place.lease is null;
    died := place.node <> $1;
    for job in
      execute format(
        'with taken as (
          delete from ${schema}.job_%1$s
          where ctid = any(array(
            select ctid from ${schema}.job_%1$s
            where queue = $1 and priority = $2 and pos between $3 and $4 and lease = $5
            -- a row locked here is being acknowledged, perhaps by a prepared transaction
            for update skip locked))
          returning *)
        select * from taken order by pos', lost.epoch)
      using place.queue, place.priority, place.first_pos, place.last_pos, place.lease
    loop
      attempts := job.attempt + (died and job.alone)::int;
      if attempts < coalesce((select q.max_attempts from ${schema}.queue q where q.name = job.queue), 5) then
        perform ${schema}.enter(job.queue, job.priority, job.id, job.kind, job.payload, attempts, job.alone or died,
          job.enqueued_at);
      else
        perform ${schema}.bury(job, attempts, format('node %s died while it ran this job', place.node));
      end if;
      total := total + 1;
    end loop;
    execute format('select exists (select from ${schema}.job_%s
      where queue = $1 and priority = $2 and pos between $3 and $4 and lease = $5)', lost.epoch)
      into leased using place.queue, place.priority, place.first_pos, place.last_pos, place.lease;
    if leased then
      execute format('update ${schema}.claim_%s set node = 0 where lease = $1 and priority = $2 and node <> 0', lost.epoch)
        using place.lease, place.priority;
    else
      execute format('delete from ${schema}.claim_%s where lease = $1 and priority = $2', lost.epoch)
        using place.lease, place.priority;
    end if;
  end loop;
  delete from ${schema}.node n
  where n.seen_at + 10.0::float8 * n.timeout < started
    and not exists (select from ${schema}.claim c where c.node = n.id)
    and not exists (select from ${schema}.permit p where p.node = n.id);
  return total;
end $$;
comment on function ${schema}.rescue is 'Frees the jobs of nodes that are gone, and those that node self holds without knowing it';
