-- Tables used in turn: what a pinned horizon keeps vacuum from removing is thrown away with TRUNCATE instead.

do $$
begin
  for epoch in 2..6 loop
    -- LIKE brings columns, constraints, defaults, indexes and comments, but no storage parameters
    execute format('create table ${schema}.job_%s (like ${schema}.job_1 including all)'
      ' with (fillfactor = 50, vacuum_truncate = off)', epoch);
    execute format('create table ${schema}.claim_%s (like ${schema}.claim_1 including all)'
      ' with (vacuum_truncate = off)', epoch);
  end loop;
  alter table ${schema}.scheduled rename to scheduled_1;
  alter index ${schema}.scheduled_pkey rename to scheduled_1_pkey;
  for epoch in 2..3 loop
    execute format('create table ${schema}.scheduled_%s (like ${schema}.scheduled_1 including all)'
      ' with (vacuum_truncate = off)', epoch);
  end loop;
end $$;

-- Which of the tables takes what is new. A sequence, since it has no row versions that would pile up. What it says is a
-- hint: a row is found in whichever table it is, and one that a crash set back is as good.
create sequence ${schema}.job_epoch minvalue 1 maxvalue 6 cache 1;
create sequence ${schema}.scheduled_epoch minvalue 1 maxvalue 3 cache 1;
-- Until when no table is emptied, in seconds since 1970; for the same reason a sequence.
create sequence ${schema}.rotation_held_until minvalue 0 start 0 cache 1;

create view ${schema}.job as
  select 1 as epoch, *, xmax as taken_by from ${schema}.job_1 union all select 2, *, xmax from ${schema}.job_2
  union all select 3, *, xmax from ${schema}.job_3 union all select 4, *, xmax from ${schema}.job_4
  union all select 5, *, xmax from ${schema}.job_5 union all select 6, *, xmax from ${schema}.job_6;
comment on view ${schema}.job is 'Jobs that may run now, and those that run (lease is set)';
comment on column ${schema}.job.taken_by is 'the transaction that deleted or locked the row, if it has not ended, or was rolled back; 0 as a rule';

create view ${schema}.claim as
  select 1 as epoch, * from ${schema}.claim_1 union all select 2, * from ${schema}.claim_2
  union all select 3, * from ${schema}.claim_3 union all select 4, * from ${schema}.claim_4
  union all select 5, * from ${schema}.claim_5 union all select 6, * from ${schema}.claim_6;
comment on view ${schema}.claim is 'Where the jobs of a lease are, and whose they are';

create view ${schema}.scheduled as
  select 1 as epoch, * from ${schema}.scheduled_1 union all select 2, * from ${schema}.scheduled_2
  union all select 3, * from ${schema}.scheduled_3;
comment on view ${schema}.scheduled is 'Jobs that may not run yet: delayed, or waiting for their next attempt';

-- they come again, with the epoch among their arguments
drop function if exists ${schema}.fail(text, smallint, bigint, bigint, text);
drop function if exists ${schema}.defer(text, smallint, bigint, bigint, interval);
drop function if exists ${schema}.take(text, bigint[], text[], text[], int);
