import { describe, expect, test } from "vitest";
import { recordingsFolder } from "../providers/recordings.ts";
import { scaled } from "../scale.ts";
import { isDetectable, mutateStreams } from "./structural-mutations.ts";

describe.skipIf(recordingsFolder === null)("recorded streams with one change of their structure each", () => {
  const verdicts = Object.entries(mutateStreams(scaled(1000), 1));

  test("never run a call from a piece that was renamed, nulled or retyped, nor any that contradicts its whole form", () => {
    const detectable = verdicts.filter(([key]) => isDetectable(key));
    expect(detectable.length).toBeGreaterThan(10);
    expect(detectable.filter(([, { changed = 0 }]) => changed > 0)).toEqual([]);
  });

  /** What may become of the calls, by the class of the change; `changed` is a limit that docs/providers.md names. */
  const allowed: Readonly<Record<string, readonly string[]>> = {
    rename: ["same", "empty", "fewer", "refused", "failed"],
    null: ["same", "empty", "fewer", "refused", "failed"],
    retype: ["same", "empty", "fewer", "refused", "failed"],
    drop: ["same", "empty", "fewer", "refused", "failed", "changed"],
    double: ["same", "refused", "changed"],
    swap: ["same", "empty", "fewer", "refused", "failed", "changed"],
  };

  test.each(Object.entries(allowed))("%s ends in no other verdict than these: %s", (kind, expected) => {
    const found = verdicts.filter(([key]) => key.endsWith(` ${kind}`));
    expect(found.length).toBe(4);
    expect(found.flatMap(([, counts]) => Object.keys(counts)).filter((verdict) => !expected.includes(verdict))).toEqual(
      [],
    );
  });

  test("run every call as it was sent in most cases", () => {
    for (const [key, { same = 0, ...others }] of verdicts) {
      // Half of Gemini's streams are one event, and each of its events is a whole response.
      const share = same / Object.values(others).reduce((sum, count) => sum + count, same);
      expect({ key, isEnough: share >= (key.startsWith("gemini") ? 0 : 0.4) }).toEqual({ key, isEnough: true });
    }
  });
});
