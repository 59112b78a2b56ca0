import fc from "fast-check";
import { expect, test } from "vitest";
import { longestStored } from "./longest-prefix.ts";

test("longestStored finds the longest stored prefix in at most as many look-ups as the count has bits", () => {
  fc.assert(
    fc.property(fc.nat(5_000), fc.nat(5_000), (length, other) => {
      const stored = Math.min(length, other);
      const hashes = Array.from({ length }, (_, index) => String(index));
      let lookUps = 0;
      const found = longestStored(hashes, (hash) => {
        lookUps += 1;
        return Number(hash) < stored ? hash : undefined;
      });
      expect(found).toEqual(stored === 0 ? null : { found: String(stored - 1), length: stored });
      expect(lookUps).toBeLessThanOrEqual(Math.ceil(Math.log2(length + 1)));
    }),
  );
});
