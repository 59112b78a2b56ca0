import fc from "fast-check";
import { expect, test } from "vitest";
import type { ReplicaId, TextVersion } from "../../../core/text/types.ts";
import { TextVersions } from "./text-versions.ts";

const replica = fc.integer({ min: 1, max: 9 }).map((number) => number as ReplicaId);
const heads: fc.Arbitrary<TextVersion> = fc.array(fc.record({ replica, seq: fc.nat(1_000_000) }), { maxLength: 3 });

const step = fc.oneof(
  { weight: 9, arbitrary: fc.record({ type: fc.constant("next" as const), heads }) },
  { weight: 1, arbitrary: fc.record({ type: fc.constant("compacted" as const), back: fc.nat(20), heads }) },
);

test("TextVersions returns every recorded version that was not dropped, like a map", () => {
  fc.assert(
    fc.property(fc.nat(50), fc.array(step, { maxLength: 120 }), (first, steps) => {
      const versions = new TextVersions(1_000);
      const plain = new Map<number, TextVersion>();
      let version = first;
      for (const made of steps) {
        if (made.type === "next") {
          version += 1;
          versions.set(version, made.heads);
          plain.set(version, made.heads);
          continue;
        }
        const before = Math.max(1, version - made.back);
        versions.forgetBefore(before);
        for (const known of plain.keys()) if (known < before) plain.delete(known);
        versions.set(before - 1, made.heads);
        plain.set(before - 1, made.heads);
      }
      for (let asked = 0; asked <= version + 1; asked += 1) expect(versions.get(asked)).toEqual(plain.get(asked));
    }),
  );
});

test("TextVersions keeps the newest versions and few others", () => {
  const versions = new TextVersions(100);
  for (let version = 1; version <= 5_000; version += 1) {
    versions.set(version, [{ replica: 1 as ReplicaId, seq: version }]);
    expect(versions.get(Math.max(1, version - 99))).toBeDefined();
    expect(versions.get(version - 400)).toBeUndefined();
  }
});
