-- The transactional claim: a function for each epoch.

-- The statistics of a table that churns say "almost empty", and the planner would then read all of it, dead rows included,
-- or sort. Only the index in its order and the row addresses are right, whatever they say. The settings are the function's,
-- not the session's, since the handler works on the same connection.
do $generate$
declare
  take constant text := $function$
create or replace function ${schema}.take_{epoch}(
  queue text, priorities smallint[], after bigint[], only_kinds text[], except_kinds text[], most int)
returns table (
  priority smallint, pos bigint, id bigint, kind text, payload json, attempt int, alone boolean, enqueued_at timestamptz)
language plpgsql
set search_path = pg_catalog, pg_temp
set enable_seqscan = off set enable_bitmapscan = off set enable_sort = off
set plan_cache_mode = force_generic_plan set jit = off as $$
#variable_conflict use_column
begin
  return query
    with taken as (
      delete from ${schema}.job_{epoch} j
      where j.ctid = any(array(
        select candidate.ctid
        from unnest($2, $3) as reach(priority, pos)
        cross join lateral (
          select job.ctid from ${schema}.job_{epoch} job
          where job.queue = $1 and job.priority = reach.priority and job.pos > reach.pos
            and job.lease is null and not job.alone
            -- not zero: taken before by a transaction that was rolled back
            and job.xmax = 0
            and coalesce(job.kind = any($4), true) and job.kind <> all($5)
          order by job.pos limit $6
          for update skip locked) candidate
        limit $6))
      returning j.*
    )
    select t.priority, t.pos, t.id, t.kind, t.payload, t.attempt, t.alone, t.enqueued_at
    from taken t order by t.priority, t.pos;
end $$
$function$;
  meaning constant text := $comment$
comment on function ${schema}.take_{epoch} is 'Deletes up to most waiting jobs of this epoch in the caller''s transaction and returns them; after: the position behind which to look, for each of the priorities'
$comment$;
begin
  for epoch in 1..6 loop
    execute replace(take, '{epoch}', epoch::text);
    execute replace(meaning, '{epoch}', epoch::text);
  end loop;
end $generate$;
