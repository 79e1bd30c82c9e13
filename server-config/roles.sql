-- Roles for Sluice. Run it once as a superuser, connected to the database of Sluice, before the first server starts; then
-- let a server start as sluice_owner, which creates the tables, and run grants.sql.
--
--   sluice_owner     owns the schemas sluice and batch, and migrates them. A server may run as it.
--   sluice_runtime   what a server needs that does not migrate (SLUICE_MIGRATE=false).
--   sluice_producer  what a client needs to enqueue. Grant it to the roles of your programs.
--
-- A person who is to decide transactions in doubt (docs/recovery.md) is a member of the role that the servers run as. Where
-- servers run as different roles, each can end what it prepared itself, and a member of all can end everything.
--
-- None has a password and only sluice_owner may log in: see alter role. What handlers write through sluice/ds they write
-- as the server's role, so that one needs rights on your own tables too.

create role sluice_owner login;
create role sluice_runtime;
create role sluice_producer;

create schema sluice authorization sluice_owner;
create schema batch authorization sluice_owner;
grant usage on schema sluice, batch to sluice_runtime;
grant usage on schema sluice to sluice_producer;

-- All tables that migrations and the batch runtime will create.
alter default privileges for role sluice_owner in schema sluice, batch
  grant select, insert, update, delete, truncate on tables to sluice_runtime;
alter default privileges for role sluice_owner in schema sluice, batch
  grant usage, select, update on sequences to sluice_runtime;

-- Functions are for those who were granted them.
alter default privileges for role sluice_owner
  revoke execute on functions from public;
alter default privileges for role sluice_owner in schema sluice
  grant execute on functions to sluice_runtime;

-- To see whose sessions hold the horizon, and to end the session of a server that is taken for dead where servers run as
-- different roles.
grant pg_read_all_stats, pg_signal_backend to sluice_owner, sluice_runtime;
