package dev.sluice.engine.queue;

import dev.sluice.engine.PostgresVersion;

/** The same plans, made by the oldest planner that we support. */
class HotPlan15Test extends HotPlanTest {

    @Override
    PostgresVersion postgres() {
        return PostgresVersion.V15;
    }
}
