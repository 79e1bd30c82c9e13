package dev.sluice.bench.option;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import picocli.CommandLine;
import picocli.CommandLine.Command;
import picocli.CommandLine.Mixin;

@DisplayName("The common options")
class CommonOptionsTest {

    @Command
    private static final class Anything {
        @Mixin
        private CommonOptions options;
    }

    private static CommonOptions parsed(String... arguments) {
        Anything command = new Anything();
        new CommandLine(command).parseArgs(arguments);
        return command.options;
    }

    @Test
    @DisplayName("have the documented defaults")
    void defaults() {
        CommonOptions options = parsed();
        assertEquals(60, options.seconds());
        assertEquals(800, options.rate());
        assertEquals(ClaimMode.LEASED, options.mode());
        assertEquals(16, options.workers());
        assertEquals(10, options.workMillis());
        assertEquals(10, options.batch());
        assertEquals(32, options.producers());
        assertEquals(40, options.commitLagMillis());
        assertEquals(1, options.queues());
        assertEquals(100, options.payloadBytes());
        assertEquals(Through.ENGINE, options.through(Through.ENGINE));
        assertEquals(ServerParameters.NONE, options.parameters());
    }

    @Test
    @DisplayName("have 8 workers in transactional mode, unless somebody says otherwise")
    void workersOfMode() {
        assertEquals(8, parsed("--mode", "transactional").workers());
        assertEquals(3, parsed("--mode", "transactional", "--workers", "3").workers());
    }

    @Test
    @DisplayName("give a command's own default where nobody says otherwise")
    void defaultsOfCommands() {
        assertEquals(900, parsed().seconds(900));
        assertEquals(5, parsed("--seconds", "5").seconds(900));
        assertTrue(parsed().secondsAsked().isEmpty());
        assertEquals(4, parsed().workers(4));
        assertEquals(3, parsed("--workers", "3").workers(4));
    }

    @Test
    @DisplayName("have more producers where the rate is high, unless somebody says otherwise")
    void producersOfRate() {
        assertEquals(32, parsed("--rate", "800").producers());
        assertEquals(120, parsed("--rate", "1500").producers());
        assertEquals(500, parsed("--rate", "100000").producers());
        assertEquals(40, parsed("--rate", "1500", "--producers", "40").producers());
    }
}
