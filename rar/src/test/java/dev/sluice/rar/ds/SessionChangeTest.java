package dev.sluice.rar.ds;

import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SessionChangeTest {

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
                "set\tlocale = x"
            })
    @DisplayName("What outlives its transaction on the session is seen")
    void changes(String sql) {
        assertTrue(SessionChange.by(sql));
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
                "delete from t where note = 'x; y'"
            })
    @DisplayName("What ends with its transaction keeps its connection")
    void doesNotChange(String sql) {
        assertFalse(SessionChange.by(sql));
    }

    @Test
    @DisplayName("No statement changes nothing")
    void none() {
        assertFalse(SessionChange.by(null));
    }
}
