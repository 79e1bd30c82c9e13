-- What transactions need beyond the queue itself.

create table ${schema}.resolution (
  gid          text not null,
  transaction  xid8 not null,
  verdict      text not null check (verdict in ('commit', 'rollback')),
  requested_by name not null default session_user,
  requested_at timestamptz not null default clock_timestamp(),
  done_at      timestamptz,
  outcome      text check (outcome in ('commit', 'rollback')),
  error        text,
  forgotten_at timestamptz,
  -- the name alone could be given again
  primary key (gid, transaction)
);
comment on table ${schema}.resolution is 'What people decided of transactions in doubt, and what became of it; rows stay, for the record';
comment on column ${schema}.resolution.gid is 'the name of the prepared transaction';
comment on column ${schema}.resolution.transaction is 'its id, by which PostgreSQL knows how it ended when its name is gone';
comment on column ${schema}.resolution.done_at is 'when a node found the transaction ended, by itself as a rule; null: still to be done';
comment on column ${schema}.resolution.outcome is 'how it ended; not the verdict where its coordinator was quicker; null where nobody knows any more';
comment on column ${schema}.resolution.error is 'why the verdict could not be carried out, or not yet';
comment on column ${schema}.resolution.forgotten_at is 'since when its coordinator need not be told any more that a person decided';
