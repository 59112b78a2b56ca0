import fc from "fast-check";
import { expect, test } from "vitest";
import { longestStored } from "./longest-prefix.ts";

test("longestStored finds every length in few round trips with few look-ups each", async () => {
  await fc.assert(
    fc.asyncProperty(fc.nat(20_000), fc.nat(20_000), async (asked, stored) => {
      let trips = 0;
      const hashes = Array.from({ length: asked }, (_, index) => String(index + 1));
      const found = await longestStored(hashes, (some) => {
        trips += 1;
        expect(some.length).toBeLessThanOrEqual(16);
        return Promise.resolve(new Set(some.filter((hash) => Number(hash) <= stored)));
      });
      expect(found).toBe(Math.min(asked, stored));
      expect(trips).toBeLessThanOrEqual(4);
    }),
  );
});
