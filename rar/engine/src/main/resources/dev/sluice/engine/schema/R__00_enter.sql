-- How a row comes into a table of the current epoch. The INSERT names the table itself, so that it is locked before the
-- position is drawn and before the clock is read: what the sweep relies on.
--
-- One statement for each epoch, made here: they are prepared once a session, which dynamic SQL would not be.

do $generate$
declare
  enter constant text := $function$
create or replace function ${schema}.enter(
  queue text, priority smallint, id bigint, kind text, payload json, attempt int default 0, alone boolean default false,
  enqueued_at timestamptz default clock_timestamp(), lease bigint default null)
returns bigint language plpgsql set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
declare
  new_pos bigint;
begin
  case (select last_value from ${schema}.job_epoch)
{branches}
  end case;
  return new_pos;
end $$
$function$;
  enter_branch constant text := $branch$
  when {epoch} then
    insert into ${schema}.job_{epoch} (queue, priority, id, kind, payload, attempt, alone, enqueued_at, lease)
    values ($1, $2, $3, $4, $5, $6, $7, $8, $9) returning pos into new_pos;
$branch$;
  enter_many constant text := $function$
create or replace function ${schema}.enter_many(queue text, priority smallint, kind text, payloads text[])
returns setof bigint language plpgsql set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
begin
  case (select last_value from ${schema}.job_epoch)
{branches}
  end case;
end $$
$function$;
  enter_many_branch constant text := $branch$
  when {epoch} then
    return query
      insert into ${schema}.job_{epoch} (queue, priority, id, kind, payload)
      select $1, $2, nextval('${schema}.job_id'), $3, coalesce(payload, 'null')::json
      from unnest($4) with ordinality one(payload, nth) order by nth
      returning id;
$branch$;
  schedule constant text := $function$
create or replace function ${schema}.schedule(
  delay interval, id bigint, queue text, priority smallint, kind text, payload json, attempt int default 0,
  alone boolean default false, enqueued_at timestamptz default clock_timestamp(), error text default null)
returns timestamptz language plpgsql set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
declare
  due timestamptz;
begin
  case (select last_value from ${schema}.scheduled_epoch)
{branches}
  end case;
  return due;
end $$
$function$;
  schedule_branch constant text := $branch$
  when {epoch} then
    insert into ${schema}.scheduled_{epoch} (run_at, id, queue, priority, kind, payload, attempt, alone, enqueued_at, error)
    values (clock_timestamp() + greatest($1, '0'), $2, $3, $4, $5, $6, $7, $8, $9, $10) returning run_at into due;
$branch$;
begin
  execute replace(enter, '{branches}',
    (select string_agg(replace(enter_branch, '{epoch}', epoch::text), '' order by epoch) from generate_series(1, 6) epoch));
  execute replace(enter_many, '{branches}',
    (select string_agg(replace(enter_many_branch, '{epoch}', epoch::text), '' order by epoch) from generate_series(1, 6) epoch));
  execute replace(schedule, '{branches}',
    (select string_agg(replace(schedule_branch, '{epoch}', epoch::text), '' order by epoch) from generate_series(1, 3) epoch));
end $generate$;
comment on function ${schema}.enter is 'Puts a job that may run now into the current epoch; returns its position';
comment on function ${schema}.enter_many is 'Puts new jobs into the current epoch in the order of their payloads; returns their identities';
comment on function ${schema}.schedule is 'Puts a job where it waits until it is due; returns when that is';
