-- The verbs of a producer. Any client may call them, in its own transaction.
--
-- All functions set search_path: an operator or function that somebody put into another schema must not be found first.

create or replace function ${schema}.define_queue(
  name text, max_attempts int default null, backoff interval default null, backoff_cap interval default null)
returns void language sql set search_path = pg_catalog, pg_temp as $$
  insert into ${schema}.queue as q (name, max_attempts, backoff, backoff_cap)
  values ($1, coalesce($2, 5), coalesce($3, '1 s'), coalesce($4, '1 h'))
  on conflict on constraint queue_pkey do update
    set max_attempts = coalesce($2, q.max_attempts),
        backoff = coalesce($3, q.backoff),
        backoff_cap = coalesce($4, q.backoff_cap)
    -- a node that starts with what is already so writes nothing
    where (q.max_attempts, q.backoff, q.backoff_cap)
      is distinct from (coalesce($2, q.max_attempts), coalesce($3, q.backoff), coalesce($4, q.backoff_cap))
$$;
comment on function ${schema}.define_queue is 'Creates a queue, or changes the retry policy of one; null leaves a value as it is';

create or replace function ${schema}.check_job(queue text, kind text, payload_bytes bigint, priority int, delay interval)
returns void language plpgsql stable set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_variable
declare
  cap int;
begin
  select q.payload_cap into cap from ${schema}.queue q where q.name = queue;
  if not found then
    raise exception 'sluice: there is no queue "%"', queue using
      errcode = 'undefined_object',
      hint = format('Queues: %s. Deploy a handler for it, or call %s.define_queue(%L).',
        coalesce((select string_agg(quote_ident(q.name), ', ' order by q.name) from ${schema}.queue q), 'none'),
        quote_ident(${schemaLiteral}), queue);
  end if;
  if coalesce(kind, '') = '' or octet_length(kind) > 200 then
    raise exception 'sluice: a job of queue "%" needs a kind of 1 to 200 bytes', queue using
      errcode = 'invalid_parameter_value';
  end if;
  if payload_bytes > cap then
    raise exception 'sluice: the payload of % bytes for kind "%" is over the cap of % bytes of queue "%"',
      payload_bytes, kind, cap, queue using
      errcode = 'program_limit_exceeded',
      hint = 'Keep the data in a table of your own and enqueue its key, or raise payload_cap of the queue.';
  end if;
  if priority is null or priority not between 0 and 3 then
    raise exception 'sluice: a priority is 0 (urgent) to 3 (low), not %', priority using
      errcode = 'invalid_parameter_value';
  end if;
  if delay is null or delay < '0' or not isfinite(delay) then
    raise exception 'sluice: the delay of a job cannot be negative, infinite or null: % for kind "%"', delay, kind using
      errcode = 'invalid_parameter_value';
  end if;
end $$;

create or replace function ${schema}.enqueue(
  queue text, kind text, payload text default 'null', priority int default 2, delay interval default '0')
returns bigint language plpgsql set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
declare
  new_id bigint;
begin
  perform ${schema}.check_job($1, $2, octet_length($3), $4, $5);
  new_id := nextval('${schema}.job_id');
  if $5 = '0' then
    perform ${schema}.enter($1, $4::smallint, new_id, $2, coalesce($3, 'null')::json);
  else
    perform ${schema}.schedule($5, new_id, $1, $4::smallint, $2, coalesce($3, 'null')::json);
  end if;
  return new_id;
end $$;
comment on function ${schema}.enqueue is 'Enqueues a job in the caller''s transaction and returns its id; payload is JSON text, priority 0 (urgent) to 3 (low)';

create or replace function ${schema}.enqueue_many(
  queue text, kind text, payloads text[], priority int default 2, delay interval default '0')
returns setof bigint language plpgsql set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
begin
  perform ${schema}.check_job($1, $2,
    (select max(octet_length(payload)) from unnest($3) payload), $4, $5);
  if $5 = '0' then
    return query select * from ${schema}.enter_many($1, $4::smallint, $2, $3);
  else
    return query
      select new_id from (
        select nextval('${schema}.job_id') as new_id, payload
        from unnest($3) with ordinality one(payload, nth) order by nth offset 0) job,
      lateral ${schema}.schedule($5, new_id, $1, $4::smallint, $2, coalesce(payload, 'null')::json);
  end if;
end $$;
comment on function ${schema}.enqueue_many is 'Enqueues jobs of one kind, in the order of their payloads';
