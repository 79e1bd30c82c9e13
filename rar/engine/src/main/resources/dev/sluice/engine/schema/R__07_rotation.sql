-- The tables of a family are used in turn: job_n with claim_n, and scheduled_n. All of this is for one node at a time, and
-- none of it makes a producer or a claimer wait: a lock is had at once or not at all.

create or replace function ${schema}.begin_rotation()
returns boolean language plpgsql set search_path = pg_catalog, pg_temp as $$
begin
  if current_setting('transaction_isolation') <> 'read committed' then
    -- a look that follows a lock has to see what was committed before the lock
    raise exception 'sluice: rotation needs READ COMMITTED, not %', current_setting('transaction_isolation') using
      errcode = 'invalid_transaction_state';
  end if;
  return pg_try_advisory_xact_lock(hashtextextended('sluice rotation', '${schema}.job_epoch'::regclass::bigint));
end $$;
comment on function ${schema}.begin_rotation is 'Whether rotation is up to the caller until its transaction ends';

create or replace function ${schema}.current_epoch(family text)
returns int language sql volatile set search_path = pg_catalog, pg_temp as $$
  select case $1
    when 'job' then (select last_value from ${schema}.job_epoch)
    when 'scheduled' then (select last_value from ${schema}.scheduled_epoch)
  end::int
$$;

create or replace function ${schema}.epoch_tables(family text, epoch int)
returns regclass[] language sql stable set search_path = pg_catalog, pg_temp as $$
  select case $1
    when 'job' then array[format('${schema}.job_%s', $2)::regclass, format('${schema}.claim_%s', $2)::regclass]
    when 'scheduled' then array[format('${schema}.scheduled_%s', $2)::regclass]
  end
$$;

create or replace function ${schema}.rotate(family text, leaving int)
returns int language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  tables constant int := case family when 'job' then 6 when 'scheduled' then 3 end;
  candidate int;
begin
  if not ${schema}.begin_rotation() then
    return null;
  end if;
  if ${schema}.current_epoch(family) <> leaving then
    return ${schema}.current_epoch(family);
  end if;
  for step in 1..tables - 1 loop
    candidate := (leaving - 1 + step) % tables + 1;
    -- not even a dead row, nor one of a transaction that is under way
    if (select sum(pg_relation_size(t)) = 0 from unnest(${schema}.epoch_tables(family, candidate)) t) then
      perform setval(format('${schema}.%I', family || '_epoch')::regclass, candidate);
      return candidate;
    end if;
  end loop;
  return leaving;
end $$;
comment on function ${schema}.rotate is 'Opens the next free epoch; returns the current one, which is still the one to leave if none is free; null if another node sees to rotation';

create or replace function ${schema}.lock_holder(tables regclass[])
returns text language sql volatile set search_path = pg_catalog, pg_temp as $$
  select format('%s holds %s on %s', case
      when l.pid is null then coalesce(
        (select format('the prepared transaction "%s" of %s, since %s', p.gid, p.owner, p.prepared)
        from pg_prepared_xacts p join pg_locks x
          on x.locktype = 'transactionid' and x.transactionid = p.transaction and x.mode = 'ExclusiveLock'
        where x.virtualtransaction = l.virtualtransaction), 'a prepared transaction')
      else format('session %s (%s of %s), in a transaction since %s', l.pid,
        coalesce(nullif(a.application_name, ''), coalesce(a.backend_type, 'unnamed')), coalesce(a.usename, 'the server'),
        coalesce(a.xact_start::text, 'a time not shown to this role'))
    end, l.mode, l.relation::regclass)
  from pg_locks l left join pg_stat_activity a on a.pid = l.pid
  where l.granted and l.locktype = 'relation'
    and l.database = (select d.oid from pg_database d where d.datname = current_database())
    and l.relation in (
      select t::oid from unnest($1) t
      union select c.reltoastrelid from unnest($1) t join pg_class c on c.oid = t
      union select i.indexrelid from unnest($1) t join pg_index i on i.indrelid = t)
    and l.pid is distinct from pg_backend_pid()
  order by a.xact_start nulls first limit 1
$$;
comment on function ${schema}.lock_holder is 'Who has held a lock on one of these tables for the longest time; null if nobody does';

create or replace function ${schema}.hold_rotation(how_long interval)
returns timestamptz language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  until constant timestamptz := clock_timestamp() + how_long;
begin
  if until is null or not isfinite(until) then
    raise exception 'sluice: rotation is held for a time like ''1 hour'', not for %', coalesce(how_long::text, 'null') using
      errcode = 'invalid_parameter_value', hint = 'Hold it again before the time is up, and end it with ''0''.';
  end if;
  -- whole seconds; what ends now ends at once
  perform setval('${schema}.rotation_held_until', floor(extract(epoch from until))::bigint);
  return until;
end $$;
comment on function ${schema}.hold_rotation is 'No table is emptied for so long, for whoever reads them in a snapshot of some time ago; ''0'' ends it';

create or replace function ${schema}.snapshot_holder()
returns text language sql volatile set search_path = pg_catalog, pg_temp as $$
  select coalesce(
    (select format('rotation is held until %s, by hold_rotation', to_timestamp(last_value))
    from ${schema}.rotation_held_until where is_called and to_timestamp(last_value) > clock_timestamp()),
    -- its snapshot, older than its locks, would have neither the job nor what its handler did
    (select format('a pg_dump runs, session %s', a.pid) from pg_stat_activity a
    where a.application_name = 'pg_dump' and a.datname = current_database() and a.backend_xmin is not null limit 1))
$$;
comment on function ${schema}.snapshot_holder is 'Why no table may be emptied although nobody has locked it; null if it may';

create or replace function ${schema}.empty_epoch(family text, epoch int)
returns text language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  tables constant regclass[] := ${schema}.epoch_tables(family, epoch);
  names constant text := array_to_string(tables, ', ');
  has_rows constant text := (select string_agg(format('exists (select from %s)', t), ' or ') from unnest(tables) t);
  found boolean;
begin
  if not ${schema}.begin_rotation() then
    return 'another node is at it';
  end if;
  if ${schema}.current_epoch(family) = epoch then
    return 'it is the current epoch';
  end if;
  execute 'select ' || has_rows into found;
  if found then
    return 'rows';
  end if;
  if ${schema}.snapshot_holder() is not null then
    return ${schema}.snapshot_holder();
  end if;
  begin
    -- nobody writes here any more; those who read need not wait for the look, which may be long where many dead rows are
    execute format('lock table %s in share mode nowait', names);
    -- with a snapshot of its own, later than all that was committed here
    execute 'select ' || has_rows into found;
    if found then
      return 'rows';
    end if;
    execute format('lock table %s in access exclusive mode nowait', names);
    -- waits for the lock on a TOAST table, lock_timeout at most
    execute format('truncate %s', names);
  exception when lock_not_available then
    return coalesce(${schema}.lock_holder(tables), 'somebody held a lock on ' || names || ' just now');
  end;
  return null;
end $$;
comment on function ${schema}.empty_epoch is 'Truncates the tables of an epoch that is not current and has no rows; returns why not: "rows", or who is in the way';

create or replace function ${schema}.carry_over(epoch int, most int, marked boolean)
returns bigint language plpgsql set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
declare
  job ${schema}.job_1;
  moved bigint := 0;
begin
  if not ${schema}.begin_rotation() or ${schema}.current_epoch('job') = $1 then
    return 0;
  end if;
  for job in execute format(
    'with taken as (
      delete from ${schema}.job_%1$s
      where ctid = any(array(
        select ctid from ${schema}.job_%1$s
        where lease is null and (xmax <> 0 and not alone) = $2
        order by queue, priority, pos limit $1
        for update skip locked))
      returning *)
    select * from taken order by pos', $1)
    using $2, $3
  loop
    perform ${schema}.enter(job.queue, job.priority, job.id, job.kind, job.payload, job.attempt, job.alone or $3,
      job.enqueued_at);
    moved := moved + 1;
  end loop;
  return moved;
end $$;
comment on function ${schema}.carry_over is 'Moves up to most waiting jobs of an epoch to the current one; marked: those that a transaction had taken which was rolled back, to be run by themselves; returns how many';

create or replace function ${schema}.carry_over_leased(epoch int, most int)
returns bigint language plpgsql set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
declare
  target int;
  place ${schema}.claim_1;
  job ${schema}.job_1;
  new_pos bigint;
  first_pos bigint;
  last_pos bigint;
  leased boolean;
  moved bigint := 0;
begin
  if not ${schema}.begin_rotation() then
    return 0;
  end if;
  -- not before: from here on nobody else opens an epoch
  target := ${schema}.current_epoch('job');
  if target = $1 then
    return 0;
  end if;
  for place in execute format('select * from ${schema}.claim_%s where node <> 0 limit $1 for update skip locked', $1)
    using $2
  loop
    first_pos := null;
    for job in execute format(
      'with taken as (
        delete from ${schema}.job_%1$s
        where ctid = any(array(
          select ctid from ${schema}.job_%1$s
          where queue = $1 and priority = $2 and pos between $3 and $4 and lease = $5
          -- a row locked here is being acknowledged
          for update skip locked))
        returning *)
      select * from taken order by pos', $1)
      using place.queue, place.priority, place.first_pos, place.last_pos, place.lease
    loop
      new_pos := ${schema}.enter(
        job.queue, job.priority, job.id, job.kind, job.payload, job.attempt, job.alone, job.enqueued_at, job.lease);
      first_pos := coalesce(first_pos, new_pos);
      last_pos := new_pos;
      moved := moved + 1;
    end loop;
    continue when first_pos is null;
    execute format(
      'insert into ${schema}.claim_%s as c (lease, priority, queue, node, first_pos, last_pos, claimed_at)
      values ($1, $2, $3, $4, $5, $6, $7)
      on conflict (lease, priority) do update
        set first_pos = least(c.first_pos, excluded.first_pos), last_pos = greatest(c.last_pos, excluded.last_pos)', target)
      using place.lease, place.priority, place.queue, place.node, first_pos, last_pos, place.claimed_at;
    execute format('select exists (select from ${schema}.job_%s
      where queue = $1 and priority = $2 and pos between $3 and $4 and lease = $5)', $1)
      into leased using place.queue, place.priority, place.first_pos, place.last_pos, place.lease;
    if not leased then
      execute format('delete from ${schema}.claim_%s where lease = $1 and priority = $2', $1)
        using place.lease, place.priority;
    end if;
  end loop;
  return moved;
end $$;
comment on function ${schema}.carry_over_leased is 'Moves the jobs of up to most claims of an epoch to the current one, and the claims with them; returns how many jobs';

create or replace function ${schema}.carry_over_scheduled(epoch int, most int)
returns bigint language plpgsql set search_path = pg_catalog, pg_temp as $$
declare
  job ${schema}.scheduled_1;
  moved bigint := 0;
begin
  if not ${schema}.begin_rotation() or ${schema}.current_epoch('scheduled') = $1 then
    return 0;
  end if;
  for job in execute format(
    'with taken as (
      delete from ${schema}.scheduled_%1$s
      where ctid = any(array(
        select ctid from ${schema}.scheduled_%1$s order by run_at limit $1 for update skip locked))
      returning *)
    select * from taken order by run_at, id', $1) using $2
  loop
    -- in seconds: the days of an interval are those of the session's calendar, and may have 23 hours
    perform ${schema}.schedule(
      extract(epoch from job.run_at - clock_timestamp())::float8 * interval '1 s', job.id, job.queue, job.priority, job.kind, job.payload,
      job.attempt, job.alone, job.enqueued_at, job.error);
    moved := moved + 1;
  end loop;
  return moved;
end $$;
comment on function ${schema}.carry_over_scheduled is 'Moves up to most scheduled jobs of an epoch to the current one; returns how many';
