package dev.sluice.engine.xa;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertNotEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import java.nio.charset.StandardCharsets;
import java.util.Optional;
import java.util.Random;
import javax.transaction.xa.Xid;
import org.junit.jupiter.api.DisplayName;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class GidTest {

    private static byte[] bytes(Random random, int count) {
        byte[] bytes = new byte[count];
        random.nextBytes(bytes);
        return bytes;
    }

    @Test
    @DisplayName("Every Xid comes back from its name, which PostgreSQL accepts")
    void roundTrip() {
        long seed = System.nanoTime();
        System.out.println("GidTest.roundTrip: seed " + seed);
        Random random = new Random(seed);
        for (int i = 0; i < 1_000; i++) {
            Gid gid = new Gid(
                    random.nextInt(),
                    bytes(random, random.nextInt(Xid.MAXGTRIDSIZE + 1)),
                    bytes(random, random.nextInt(Xid.MAXBQUALSIZE + 1)));
            String name = gid.toString();
            assertEquals(Optional.of(gid), Gid.parse(name));
            assertTrue(name.getBytes(StandardCharsets.UTF_8).length < 200, name);
            assertTrue(name.matches("[-\\w+/=]*"), "needs no escape: " + name);
        }
    }

    @Test
    @DisplayName("The largest Xid has a name of less than 200 bytes")
    void largest() {
        Gid gid = new Gid(Integer.MIN_VALUE, new byte[Xid.MAXGTRIDSIZE], new byte[Xid.MAXBQUALSIZE]);
        assertEquals(189, gid.toString().length());
    }

    @Test
    @DisplayName("The name is that of pgjdbc")
    void format() {
        assertEquals("7_AQI=_/w==", new Gid(7, new byte[] {1, 2}, new byte[] {-1}).toString());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "",
                "x",
                "_",
                "__",
                "1_AQ==",
                "1_AQ==_AQ==_AQ==",
                "x_AQ==_AQ==",
                "1_*_AQ==",
                "99999999999_AQ==_AQ==",
                // could not be finished under the name that would be made of it
                "01_AQ==_AQ==",
                "+1_AQ==_AQ==",
                "1_AQ_AQ==",
                "1_AR==_AQ==",
                "\u0661_AQ==_AQ=="
            })
    @DisplayName("A name that we would not have given is not taken for one of ours")
    void foreign(String name) {
        assertEquals(Optional.empty(), Gid.parse(name));
    }

    @Test
    @DisplayName("Equal are Xids of the same three parts, and nobody can change them from outside")
    void equality() {
        byte[] gtrid = {1};
        Gid gid = new Gid(7, gtrid, new byte[] {2});
        assertEquals(gid, Gid.of(new Gid(7, new byte[] {1}, new byte[] {2})));
        assertEquals(gid.hashCode(), new Gid(7, new byte[] {1}, new byte[] {2}).hashCode());
        assertNotEquals(gid, new Gid(8, new byte[] {1}, new byte[] {2}));
        assertNotEquals(gid, new Gid(7, new byte[] {2}, new byte[] {2}));
        assertNotEquals(gid, new Gid(7, new byte[] {1}, new byte[] {1}));
        gid.getGlobalTransactionId()[0] = 9;
        gid.getBranchQualifier()[0] = 9;
        assertEquals(new Gid(7, new byte[] {1}, new byte[] {2}), gid);
    }
}
