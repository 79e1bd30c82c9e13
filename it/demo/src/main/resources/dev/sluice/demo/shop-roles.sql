-- The shop's own role, and what the server's handlers and reports may do to the shop's data.

create role shop;
grant sluice_producer to shop;
grant create on database shop to shop;

create schema shop authorization shop;
grant usage on schema shop to sluice_owner;
alter default privileges for role shop in schema shop grant select, insert on tables to sluice_owner;
alter default privileges for role shop in schema shop grant usage on sequences to sluice_owner;
