-- The tables of a queue. Names carry an epoch number, since job and claim are tables used in turn.

create table ${schema}.queue (
  name         text primary key check (name <> '' and octet_length(name) <= 200),
  max_attempts int not null default 5 check (max_attempts >= 1),
  backoff      interval not null default '1 s' check (backoff >= '0'),
  backoff_cap  interval not null default '1 h' check (backoff_cap >= '0'),
  payload_cap  int not null default 1048576 check (payload_cap > 0)
);
comment on table ${schema}.queue is 'Queues and their retry policy';
comment on column ${schema}.queue.max_attempts is 'attempts before a job becomes a dead letter';
comment on column ${schema}.queue.backoff is 'delay after the first failed attempt; doubles with every further one, less up to a quarter of it';
comment on column ${schema}.queue.backoff_cap is 'the longest such delay';
comment on column ${schema}.queue.payload_cap is 'largest payload in bytes';

create table ${schema}.node (
  id         bigint generated always as identity primary key,
  name       text not null,
  timeout    interval not null,
  started_at timestamptz not null default clock_timestamp(),
  seen_at    timestamptz not null default clock_timestamp()
) with (fillfactor = 50);
comment on table ${schema}.node is 'One row for each start of a server; seen_at is its heartbeat, and after timeout without one it is dead';

create sequence ${schema}.job_id;
-- Not the identity: drawn by every insert into a job table, so it tells the order in which rows came there.
-- cache 1, because positions remembered by claimers rely on that order.
create sequence ${schema}.job_pos cache 1;

create table ${schema}.job_1 (
  queue       text not null,
  priority    smallint not null check (priority between 0 and 3),
  pos         bigint not null default nextval('${schema}.job_pos'),
  id          bigint not null,
  kind        text not null,
  payload     json not null,
  attempt     int not null default 0,
  alone       boolean not null default false,
  enqueued_at timestamptz not null default clock_timestamp(),
  lease       bigint,
  primary key (queue, priority, pos)
-- Half of each page is kept free, so that setting the lease is a HOT update: no index entry is written.
) with (fillfactor = 50, vacuum_truncate = off);
-- Hardly ever has an entry, and finds it without walking all that waits.
create index job_1_alone on ${schema}.job_1 (queue, priority, pos) where alone;
comment on table ${schema}.job_1 is 'Jobs that may run now, and those that run (lease is set)';
comment on column ${schema}.job_1.attempt is 'failed attempts so far';
comment on column ${schema}.job_1.alone is 'ran when its node died: claimed by itself, so that a further death names the culprit';

create table ${schema}.claim_1 (
  lease      bigint not null,
  priority   smallint not null,
  queue      text not null,
  node       bigint not null,
  first_pos  bigint not null,
  last_pos   bigint not null,
  claimed_at timestamptz not null default clock_timestamp(),
  primary key (lease, priority)
) with (vacuum_truncate = off);
comment on table ${schema}.claim_1 is 'Where the jobs of a lease are, and whose they are';
comment on column ${schema}.claim_1.node is '0: its node is gone, and some of its jobs are locked by a transaction in doubt';

create table ${schema}.scheduled (
  run_at      timestamptz not null,
  id          bigint not null,
  queue       text not null,
  priority    smallint not null,
  kind        text not null,
  payload     json not null,
  attempt     int not null default 0,
  alone       boolean not null default false,
  enqueued_at timestamptz not null default clock_timestamp(),
  error       text,
  primary key (run_at, id)
) with (vacuum_truncate = off);
comment on table ${schema}.scheduled is 'Jobs that may not run yet: delayed, or waiting for their next attempt';
comment on column ${schema}.scheduled.error is 'why the last attempt failed';

create table ${schema}.dead_letter (
  id          bigint primary key,
  queue       text not null,
  priority    smallint not null,
  kind        text not null,
  payload     json not null,
  attempt     int not null,
  enqueued_at timestamptz not null,
  died_at     timestamptz not null default clock_timestamp(),
  error       text
);
comment on table ${schema}.dead_letter is 'Jobs whose last attempt failed';

create table ${schema}.budget (
  name           text primary key check (name <> ''),
  max_concurrent int check (max_concurrent >= 0)
);
comment on table ${schema}.budget is 'What analytics may use; max_concurrent null: no limit';

create table ${schema}.permit (
  id            bigint generated always as identity primary key,
  budget        text not null,
  node          bigint not null,
  holder        text not null,
  requested_at  timestamptz not null default clock_timestamp(),
  granted_at    timestamptz,
  backend_pid   int,
  backend_start timestamptz
);
comment on table ${schema}.permit is 'Permits held, and requests that wait (granted_at is null), in the order of id';
comment on column ${schema}.permit.backend_pid is 'the backend that does the admitted work; ended before the permit of a dead node is given on';
