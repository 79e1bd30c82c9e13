-- Admission: a semaphore for traffic that holds the MVCC horizon back.

create or replace function ${schema}.define_budget(name text, max_concurrent int)
returns void language sql set search_path = pg_catalog, pg_temp as $$
  insert into ${schema}.budget as b (name, max_concurrent) values ($1, $2)
  on conflict on constraint budget_pkey do update set max_concurrent = $2
  where b.max_concurrent is distinct from $2
$$;
comment on function ${schema}.define_budget is 'Creates or changes a budget; max_concurrent null: no limit';

create or replace function ${schema}.request_permit(budget text, node bigint, holder text)
returns bigint language plpgsql set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
declare
  request bigint;
begin
  if not exists (select from ${schema}.budget b where b.name = $1) then
    raise exception 'sluice: there is no budget "%"', $1 using
      errcode = 'undefined_object',
      hint = format('Budgets: %s. Create it with %s.define_budget(%L, 1).',
        coalesce((select string_agg(quote_ident(b.name), ', ' order by b.name) from ${schema}.budget b), 'none'),
        quote_ident(${schemaLiteral}), $1);
  end if;
  insert into ${schema}.permit (budget, node, holder) values ($1, $2, $3) returning id into request;
  return request;
end $$;

-- Takes back the permits of dead nodes, each once the backend that works for it is gone.
create or replace function ${schema}.fence_permits(budget text)
returns void language plpgsql set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
declare
  held record;
begin
  for held in
    select p.id from ${schema}.permit p left join ${schema}.node n on n.id = p.node
    where p.budget = $1 and (n.id is null or n.seen_at + n.timeout < clock_timestamp())
  loop
    perform ${schema}.release_permit(held.id, true);
  end loop;
end $$;

create or replace function ${schema}.release_permit(permit bigint, broken boolean)
returns boolean language plpgsql set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
begin
  -- The start is null where we lack the right to see it: then the limit is kept rather than the permit freed.
  if $2 and exists (
    select from ${schema}.permit p
    join pg_stat_activity a on a.pid = p.backend_pid
      and (a.backend_start = p.backend_start or a.backend_start is null)
    where p.id = $1)
  then
    perform pg_terminate_backend(a.pid)
    from ${schema}.permit p join pg_stat_activity a on a.pid = p.backend_pid and a.backend_start = p.backend_start
    where p.id = $1;
    return false;
  end if;
  delete from ${schema}.permit p where p.id = $1;
  return true;
end $$;
comment on function ${schema}.release_permit is 'Gives a permit back; where its connection is broken it first ends the backend, and is false until that is gone';

-- Grants a waiting request if it is its turn. One short transaction; whoever calls it again and again waits without one.
create or replace function ${schema}.grant_permit(request bigint, fence boolean default true)
returns text language plpgsql set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
declare
  asked record;
  allowed int;
begin
  select * into asked from ${schema}.permit p where p.id = $1;
  if not found then
    return 'lost';
  end if;
  if asked.granted_at is not null then
    return 'granted';
  end if;
  -- One decision at a time; somebody else is deciding, so ask again.
  if not pg_try_advisory_xact_lock(hashtext(${schemaLiteral} || ' admission'), hashtext(asked.budget)) then
    return 'waiting';
  end if;
  if $2 then
    perform ${schema}.fence_permits(asked.budget);
  end if;
  select b.max_concurrent into allowed from ${schema}.budget b where b.name = asked.budget;
  if not found then
    raise exception 'sluice: there is no budget "%" any more', asked.budget using
      errcode = 'undefined_object',
      hint = format('Create it with %s.define_budget(%L, 1).', quote_ident(${schemaLiteral}), asked.budget);
  end if;
  -- in turn: all that asked earlier count, those that hold a permit and those that wait
  if allowed is not null
    and (select count(*) from ${schema}.permit p
         where p.budget = asked.budget and (p.granted_at is not null or p.id < $1)) >= allowed
  then
    return 'waiting';
  end if;
  update ${schema}.permit p set granted_at = clock_timestamp() where p.id = $1;
  return 'granted';
end $$;
comment on function ${schema}.grant_permit is 'granted, waiting, or lost (the request was removed because its node was taken for dead)';
