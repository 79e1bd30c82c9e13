-- The sweep: moves what is due, and finds what waits, from where something unseen may be.
--
-- An INSERT locks its table before it draws its position, so every row up to the position of this moment (the mark) can be
-- seen by a statement that begins after the holders of ROW EXCLUSIVE have been read, or belongs to one of them (the writers).
-- And a writer who did not hold it at the last look has written behind the mark of that look only. Due times work as
-- positions do: they are of the future when they are written.

do $generate$
declare
  sweep constant text := $function$
create or replace function ${schema}.sweep(
  most int, queues text[],
  -- of each lane: nothing waited up to there when it was looked at last
  lane_tables text[], lane_queues text[], lane_priorities smallint[], seen bigint[],
  -- who wrote then, each behind the name of its table; and up to where it has written nothing for sure
  writers text[], begun_after bigint[])
returns table (
  what text, "table" text, queue text, priority smallint, alone boolean, oldest bigint, waiting bigint, taken boolean,
  promoted bigint, mark bigint, writer text[], current boolean, bytes bigint, live bigint, dead bigint, changes bigint)
language plpgsql
set search_path = pg_catalog, pg_temp
set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off
set plan_cache_mode = force_generic_plan set jit = off as $$
#variable_conflict use_column
declare
  last_pos bigint;
  clock bigint;
  now_writing text[];
  start timestamptz;
begin
  select case when is_called then last_value else 0 end into last_pos from ${schema}.job_pos;
  -- less than the clock, which may be set back a little without anybody seeing it
  clock := (extract(epoch from clock_timestamp()) * 1000000)::bigint - 5000000;
  select coalesce(array_agg(c.relname || ' ' || l.virtualtransaction), '{}') into now_writing
  from pg_locks l join pg_class c on c.oid = l.relation
  where l.locktype = 'relation' and l.mode = 'RowExclusiveLock'
    and l.database = (select d.oid from pg_database d where d.datname = current_database())
    and c.relnamespace = (select n.oid from pg_namespace n where n.nspname = ${schemaLiteral}) and c.relname ~ '^(job|scheduled)_[1-9]$'
    and l.pid is distinct from pg_backend_pid();
{promotions}

  return query
    with ended as materialized (
      select split_part(w.name, ' ', 1) as "table", min(w.begun_after) as begun_after
      from unnest($7, $8) w(name, begun_after) where w.name <> all(now_writing) group by 1
    ), lane as (
      select t.name as "table", q.name as queue, p.priority, least(coalesce(known.seen, 0), ended.begun_after) as start
      from unnest(array[{tables}]) t(name)
        cross join unnest($2) q(name)
        cross join unnest('{0,1,2,3}'::smallint[]) p(priority)
        left join unnest($3, $4, $5, $6) known("table", queue, priority, seen)
          on known."table" = t.name and known.queue = q.name and known.priority = p.priority
        left join ended on ended."table" = t.name
      where pg_relation_size(format('${schema}.%I', t.name)::regclass) > 0
    )
    select 'waiting', lane."table", lane.queue, lane.priority, first.alone, first.oldest, first.waiting, first.taken,
      null::bigint, null::bigint, null::text[], null::boolean, null::bigint, null::bigint, null::bigint, null::bigint
    from lane cross join lateral (
{looks}
    ) first
    where first.oldest is not null;

  return query
    select 'table', t.name, null::text, null::smallint, null::boolean, null::bigint, null::bigint, null::boolean, null::bigint,
      case t.family when 'job' then last_pos else clock end,
      array(select w from unnest(now_writing) w where split_part(w, ' ', 1) = t.name),
      t.epoch = case t.family
        when 'job' then (select last_value from ${schema}.job_epoch)
        else (select last_value from ${schema}.scheduled_epoch) end,
      pg_relation_size(t.id) + case t.family
        when 'job' then pg_relation_size(format('${schema}.claim_%s', t.epoch)::regclass) else 0 end,
      pg_stat_get_live_tuples(t.id), pg_stat_get_dead_tuples(t.id),
      pg_stat_get_tuples_deleted(t.id) + pg_stat_get_tuples_updated(t.id)
    from (
      select 'job' as family, epoch, 'job_' || epoch as name, format('${schema}.job_%s', epoch)::regclass as id
      from generate_series(1, 6) epoch
      union all
      select 'scheduled', epoch, 'scheduled_' || epoch, format('${schema}.scheduled_%s', epoch)::regclass
      from generate_series(1, 3) epoch) t;
end $$
$function$;
  promotion constant text := $branch$
  if pg_relation_size('${schema}.scheduled_{epoch}'::regclass) > 0 then
    start := timestamptz 'epoch' + interval '1 us' * coalesce(least(
      (select max(known.seen) from unnest($3, $6) known("table", seen) where known."table" = 'scheduled_{epoch}'),
      (select min(w.begun_after) from unnest($7, $8) w(name, begun_after)
      where split_part(w.name, ' ', 1) = 'scheduled_{epoch}' and w.name <> all(now_writing))), 0);
    return query
      with due as (
        delete from ${schema}.scheduled_{epoch}
        where ctid = any(array(
          select ctid from ${schema}.scheduled_{epoch}
          where run_at > start and run_at <= clock_timestamp()
          order by run_at limit $1 for update skip locked))
        returning *
      ), entered as (
        select job.queue, job.priority, job.alone, ${schema}.enter(
          job.queue, job.priority, job.id, job.kind, job.payload, job.attempt, job.alone, job.enqueued_at) as pos
        from (select * from due order by run_at, id) job
      )
      select 'promoted', null::text, entered.queue, entered.priority, entered.alone, null::bigint, min(entered.pos), false,
        count(*), null::bigint, null::text[], null::boolean, null::bigint, null::bigint, null::bigint, null::bigint
      from entered group by entered.queue, entered.priority, entered.alone;
    return query
      select 'waiting', 'scheduled_{epoch}', '', 0::smallint, false, least(
          (extract(epoch from first.run_at) * 1000000)::bigint, clock + 1), null::bigint, false,
        null::bigint, null::bigint, null::text[], null::boolean, null::bigint, null::bigint, null::bigint, null::bigint
      from (
        select run_at from ${schema}.scheduled_{epoch}
        where run_at > start
        order by run_at limit 1) first;
  end if;
$branch$;
  look constant text := $branch$
      (select false as alone, min(pos) as oldest,
        -- what a transaction has taken does not wait; behind a hundred of such, something may
        coalesce(min(pos) filter (where xmax = 0), case count(*) when 100 then max(pos) end) as waiting,
        bool_or(xmax <> 0) as taken
      from (
        select pos, xmax from ${schema}.job_{epoch}
        where lane."table" = 'job_{epoch}' and queue = lane.queue and priority = lane.priority and pos > lane.start
          and lease is null and not alone
        order by pos limit 100) earliest)
      union all
      (select true, pos, pos, false from ${schema}.job_{epoch}
      where lane."table" = 'job_{epoch}' and queue = lane.queue and priority = lane.priority and lease is null and alone
      order by pos limit 1)
$branch$;
begin
  execute replace(replace(replace(sweep,
    '{tables}', (select string_agg(quote_literal('job_' || epoch), ', ' order by epoch) from generate_series(1, 6) epoch)),
    '{promotions}',
    (select string_agg(replace(promotion, '{epoch}', epoch::text), '' order by epoch) from generate_series(1, 3) epoch)),
    '{looks}',
    (select string_agg(replace(look, '{epoch}', epoch::text), ' union all ' order by epoch) from generate_series(1, 6) epoch));
end $generate$;
comment on function ${schema}.sweep is 'Moves up to most jobs that are due, finds the first waiting job of each lane of these queues, and says how the tables are';

create or replace function ${schema}.rolled_back(
  epochs int[], queues text[], priorities smallint[], after bigint[], most int)
returns table (epoch int, queue text, priority smallint, pos bigint)
language plpgsql
set search_path = pg_catalog, pg_temp set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off as $$
#variable_conflict use_column
declare
  lane record;
begin
  for lane in select * from unnest($1, $2, $3, $4) l(epoch, queue, priority, after) loop
    return query execute format(
      'select $1, $2, $3, waiting.pos
      from (
          select pos, xmax <> 0 as taken from ${schema}.job_%1$s
          where queue = $2 and priority = $3 and pos > $4 and lease is null and not alone
          order by pos limit $5) waiting,
        lateral (
          select from ${schema}.job_%1$s
          where queue = $2 and priority = $3 and pos = waiting.pos and lease is null and xmax <> 0
          for key share skip locked) unlocked
      where waiting.taken', lane.epoch)
    using lane.epoch, lane.queue, lane.priority, lane.after, $5;
  end loop;
end $$;
comment on function ${schema}.rolled_back is 'Waiting jobs that bear the mark of a transaction that was rolled back, among the oldest of each lane';

create or replace function ${schema}.isolate(epochs int[], queues text[], priorities smallint[], positions bigint[])
returns bigint language plpgsql
set search_path = pg_catalog, pg_temp set enable_seqscan = off set enable_bitmapscan = off as $$
#variable_conflict use_column
declare
  marked record;
  isolated bigint;
  total bigint := 0;
begin
  for marked in select * from unnest($1, $2, $3, $4) m(epoch, queue, priority, pos) loop
    execute format(
      'update ${schema}.job_%1$s set alone = true
      where ctid = any(array(
        select ctid from ${schema}.job_%1$s
        where queue = $1 and priority = $2 and pos = $3 and lease is null and not alone and xmax <> 0
        for update skip locked))', marked.epoch)
    using marked.queue, marked.priority, marked.pos;
    get diagnostics isolated = row_count;
    total := total + isolated;
  end loop;
  return total;
end $$;
comment on function ${schema}.isolate is 'Has jobs run by themselves that bear the mark of a transaction that was rolled back';
