package dev.sluice.rar.ds;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class StatementTextTest {

    @ParameterizedTest
    @ValueSource(
            strings = {
                "set search_path = x",
                "SET ROLE limited",
                "  \n set session authorization x",
                "/* why */ set statement_timeout = 0",
                "/* a */ /* b */\nset x.y = 1",
                "-- why\nset role x",
                "select 1; set role x",
                "select 1;\n  -- why\n  set role x",
                "reset all",
                "discard temp",
                "listen jobs",
                "load 'auto_explain'",
                "create temp table t (n int)",
                "create temporary table t (n int)",
                "CREATE LOCAL TEMPORARY TABLE t (n int)",
                "create temp view v as select 1",
                "select 1 into temp t",
                "select * into temporary table t from s",
                "select set_config('role', 'x', false)",
                "select pg_catalog.set_config ('role', 'x', false)",
                "select pg_advisory_lock(1)",
                "select pg_try_advisory_lock(1)",
                "select pg_advisory_lock_shared(1)",
                "declare c cursor with hold for select 1",
                "set session characteristics as transaction read only",
                "set\tlocale = x",
                "prepare p as select 1",
                "deallocate all",
                "begin",
                "start transaction isolation level serializable",
                "begin; insert into t values (1); commit",
                "do $$ begin set role x; end $$",
                "do $x$ begin if true then set role x; end if; end $x$",
                "do $$ begin perform pg_advisory_lock(1); end $$",
                "select 'it''s'; set role x",
                "select E'it\\'s'; set role x",
                "select $$a$$; set role x",
                "declare c cursor with hold for select ';'",
                "select 1 /* it's */; set role x",
                "select 1 -- it's\n; set role x"
            })
    @DisplayName("What outlives its transaction on the session is seen")
    void changes(String sql) {
        assertTrue(StatementText.of(sql).changesSession());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "select 1",
                "set local search_path = x",
                "set  local role x",
                "set transaction isolation level serializable",
                "set constraints all deferred",
                "update t set x = 1",
                "insert into t values (1) on conflict (n) do update set x = 1",
                "select pg_advisory_xact_lock(1)",
                "select pg_try_advisory_xact_lock(1)",
                "create table temperature (n int)",
                "select settings, reset_at, loaded from t",
                "declare c cursor for select 1",
                "with x as (select 1) select * from x",
                "delete from t where note = 'x; y'",
                "delete from t where note = '; set role x'",
                "delete from t where note = E'it\\'s; set role x'",
                "delete from \"; set role x\"",
                "select $$; set role x",
                "select /* /* */ ; set role x */ 1",
                "select $1; select a$b$c, d$b$; select 1",
                "select 1 -- ; set role x",
                "select /* ; set role x */ 1",
                "do $$ begin update t set x = 1; end $$",
                "do $$ begin set local role x; end $$",
                "prepare transaction 'x'",
                "select 1 as begin_at",
                "commit",
                "savepoint x"
            })
    @DisplayName("What ends with its transaction keeps its connection")
    void doesNotChange(String sql) {
        assertFalse(StatementText.of(sql).changesSession());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "commit",
                "COMMIT work",
                " /* why */ commit and chain",
                "end",
                "end transaction",
                "abort",
                "rollback",
                "rollback work",
                "rollback and chain",
                "prepare transaction 'x'",
                "commit prepared 'x'",
                "insert into t values (1); commit",
                "insert into t values ('it''s');\n  -- why\n  commit;",
                "create function f() returns int begin atomic select 1; end; commit",
                "create function f() returns int begin atomic select 1; end; commit;"
                        + " create function g() returns int begin atomic select 2; end",
                "select E'a''\\''; commit; select '1'"
            })
    @DisplayName("What ends its transaction is seen")
    void ends(String sql) {
        assertTrue(StatementText.of(sql).endsTransaction());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "select 1",
                "savepoint commit",
                "rollback to savepoint x",
                "rollback to x",
                "rollback work to x",
                "ROLLBACK TRANSACTION TO SAVEPOINT x",
                "release savepoint x",
                "begin",
                "insert into t values ('; commit')",
                "select E'a''\\'; commit'",
                "select $$; commit$$",
                "select $a$ ; commit; $b$ ; commit; $a$",
                "select 1 -- ; commit",
                "select /* ; commit */ 1",
                "select \"; commit\" from t",
                "do $$ begin null; end $$",
                "create function f() returns int begin atomic select case when true then 1 end; end",
                "select endless, commit_at from t; select 2",
                "create table committed (n int)",
                "prepare p as select 1"
            })
    @DisplayName("What goes on in its transaction is not taken for its end")
    void goesOn(String sql) {
        assertFalse(StatementText.of(sql).endsTransaction());
    }

    @Test
    @DisplayName("No text does nothing")
    void none() {
        assertFalse(StatementText.of(null).changesSession());
        assertFalse(StatementText.of(null).endsTransaction());
    }

    @Test
    @Timeout(5)
    @DisplayName("A long text is read as quickly as a short one, whatever is in it")
    void longText() {
        String text = "insert into t values ('" + "it''s; /* set ".repeat(100_000) + "')";
        assertFalse(StatementText.of(text).changesSession());
        assertTrue(
                StatementText.of("/*" + "* ".repeat(50_000) + "*/ set role x").changesSession());
        assertFalse(StatementText.of("select '" + "$a$ ".repeat(20_000)).endsTransaction());
    }
}
