-- Transactions in doubt: prepared, and their coordinator has not said how they end.

create or replace function ${schema}.is_branch(gid text)
returns boolean language sql immutable set search_path = pg_catalog, pg_temp as $$
  -- formatId_base64(gtrid)_base64(bqual), and nothing that would be written otherwise
  select case
    when gid collate "C" ~ ('^(0|-?[1-9][0-9]{0,9})'
      '(_([A-Za-z0-9+/]{4})*([A-Za-z0-9+/][AQgw]==|[A-Za-z0-9+/]{2}[AEIMQUYcgkosw048]=)?){2}$')
    then split_part(gid, '_', 1)::bigint between -2147483648 and 2147483647
    else false
  end
$$;
comment on function ${schema}.is_branch is 'Whether a prepared transaction was named by a Java transaction manager, through Sluice or the PostgreSQL driver';

create or replace function ${schema}.full_xid(id xid)
returns xid8 language sql stable set search_path = pg_catalog, pg_temp as $$
  -- the one of these 32 bits that is nearest to now: none that is still used is further away than 2^31
  select (latest + (id::text::bigint - latest % 4294967296 + 6442450944) % 4294967296 - 2147483648)::text::xid8
  from (select pg_snapshot_xmax(pg_current_snapshot())::text::bigint) now(latest)
$$;

create or replace function ${schema}.outcome(transaction xid8)
returns text language sql volatile set search_path = pg_catalog, pg_temp as $$
  select case
    -- restored from a dump, the id may be one that this server has not given yet
    when transaction < pg_snapshot_xmax(pg_current_snapshot())
    then case pg_xact_status(transaction) when 'committed' then 'commit' when 'aborted' then 'rollback' end
  end
$$;
comment on function ${schema}.outcome is 'How a transaction ended: commit or rollback; null if it has not, or so long ago that PostgreSQL does not know';

create or replace function ${schema}.may_end(owner name)
returns boolean language sql stable set search_path = pg_catalog, pg_temp as $$
  -- PostgreSQL lets only the owner itself end a prepared transaction, so that a member becomes it for that
  select coalesce(
    pg_has_role(owner, case when current_setting('server_version_num')::int >= 160000 then 'SET' else 'MEMBER' end),
    -- the owner was dropped
    (select rolsuper from pg_roles where rolname = current_user))
$$;
comment on function ${schema}.may_end is 'Whether the current role may end a prepared transaction of this owner';

create or replace view ${schema}.in_doubt as
select p.gid, p.owner, p.prepared as prepared_at, clock_timestamp() - p.prepared as age,
  ${schema}.may_end(p.owner) as may_resolve, r.verdict, r.error
from pg_prepared_xacts p
left join ${schema}.resolution r on r.gid = p.gid and r.transaction = ${schema}.full_xid(p.transaction)
where p.database = current_database() and ${schema}.is_branch(p.gid);
comment on view ${schema}.in_doubt is 'Prepared transactions of this database that transaction managers named: those of running two-phase commits, which last milliseconds, and those left behind';
comment on column ${schema}.in_doubt.may_resolve is 'whether the current role may call resolve for it';
comment on column ${schema}.in_doubt.verdict is 'what was asked for with resolve and is not done yet';

create or replace function ${schema}.resolve(gid text, verdict text)
returns text language plpgsql set search_path = pg_catalog, pg_temp as $$
#variable_conflict use_column
declare
  wanted constant text := lower($2);
  shown constant text := left($1, 200);
  branch record;
  noted ${schema}.resolution;
begin
  if wanted is null or wanted not in ('commit', 'rollback') then
    raise exception 'sluice: a verdict is commit or rollback, not "%"', left($2, 200) using
      errcode = 'invalid_parameter_value',
      hint = 'Look at what became of this transaction in the other resource, and decide as it was decided there.';
  end if;
  select p.* into branch from pg_prepared_xacts p where p.gid = $1;
  if not found then
    select * into noted from ${schema}.resolution r where r.gid = $1 order by r.requested_at desc limit 1;
    if not found then
      raise exception 'sluice: there is no prepared transaction "%"', shown using
        errcode = 'undefined_object',
        hint = format('In doubt: %s. One that is not in doubt has ended already.',
          coalesce((select string_agg(d.gid, ', ' order by d.prepared_at) from ${schema}.in_doubt d), 'none'));
    end if;
  else
    if not ${schema}.is_branch($1) then
      raise exception 'sluice: "%" was not named by a transaction manager of Java, so it is not for Sluice to end', shown using
        errcode = 'invalid_parameter_value',
        hint = format('Whoever prepared it, role %s, ends it with COMMIT PREPARED or ROLLBACK PREPARED.', quote_ident(branch.owner));
    end if;
    if branch.database <> current_database() then
      raise exception 'sluice: "%" is prepared in database "%", not here', shown, branch.database using
        errcode = 'undefined_object',
        hint = 'It can be ended only there: connect to that database.';
    end if;
    if not ${schema}.may_end(branch.owner) then
      raise exception 'sluice: role "%" may not end "%", which role "%" prepared', current_user, shown, branch.owner using
        errcode = 'insufficient_privilege',
        hint = format('Call it as %1$s, or as a superuser, or: grant %1$s to %2$s.', quote_ident(branch.owner), quote_ident(current_user));
    end if;
    insert into ${schema}.resolution as r (gid, transaction, verdict)
    values ($1, ${schema}.full_xid(branch.transaction), wanted)
    on conflict (gid, transaction) do nothing;
    select * into strict noted from ${schema}.resolution r
    where r.gid = $1 and r.transaction = ${schema}.full_xid(branch.transaction);
  end if;
  if noted.done_at is null and noted.verdict = wanted then
    return format('%s is noted: %s', wanted, case
      when exists (select from ${schema}.node n where n.seen_at + n.timeout > clock_timestamp())
      then 'a node carries it out with one of its next two heartbeats'
      else 'no node is alive, the first that starts carries it out'
    end);
  elsif noted.done_at is not null and noted.outcome = wanted then
    return format('%s was done at %s', wanted, noted.done_at);
  end if;
  raise exception 'sluice: "%" is not for % any more', shown, wanted using
    errcode = 'object_not_in_prerequisite_state',
    detail = format('%s asked for its %s at %s. %s', noted.requested_by, noted.verdict, noted.requested_at, case
      when noted.done_at is null then coalesce('That failed so far: ' || noted.error, 'It is about to be done.')
      else format('It ended at %s: %s.', noted.done_at, coalesce(noted.outcome, 'nobody knows how')) end),
    hint = case when noted.done_at is null and noted.error is not null
      then format('Mend that, or take the verdict back: delete from %s.resolution where gid = %L and done_at is null.',
        quote_ident(${schemaLiteral}), shown)
      else 'What was decided stands.' end;
end $$;
comment on function ${schema}.resolve is 'Decides a transaction in doubt whose coordinator is lost for good: verdict is commit or rollback; a node carries it out';

create or replace function ${schema}.forget(gid text)
returns boolean language sql set search_path = pg_catalog, pg_temp as $$
  with forgotten as (
    update ${schema}.resolution r set forgotten_at = clock_timestamp()
    where r.gid = $1 and r.forgotten_at is null
      and not exists (select from pg_prepared_xacts p where p.gid = $1)
    returning r.gid
  )
  select exists (select from forgotten)
$$;
comment on function ${schema}.forget is 'The coordinator of a resolved transaction need not be told of it any more; false if there is none that is resolved and remembered';
