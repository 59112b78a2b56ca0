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

  test("run every call as it was sent in most cases", () => {
    for (const [key, { same = 0, ...others }] of verdicts) {
      // Half of Gemini's streams are one event, and each of its events is a whole response.
      const share = same / Object.values(others).reduce((sum, count) => sum + count, same);
      expect({ key, isEnough: share >= (key.startsWith("gemini") ? 0 : 0.4) }).toEqual({ key, isEnough: true });
    }
  });
});
