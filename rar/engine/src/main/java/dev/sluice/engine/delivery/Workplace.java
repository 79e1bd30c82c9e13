package dev.sluice.engine.delivery;

import dev.sluice.engine.database.Connections;
import dev.sluice.engine.database.Database;
import dev.sluice.engine.queue.Take;
import dev.sluice.engine.queue.Transitions;

/**
 * What deliveries work with.
 *
 * @param database    where the jobs are
 * @param connections connections that handlers work on
 * @param settlements connections on which the engine notes what became of a job, apart from what handlers do to theirs
 * @param take        the statements of the transactional claim
 * @param transitions the statements that note what became of a job
 */
public record Workplace(
        Database database, Connections connections, Connections settlements, Take take, Transitions transitions) {}
