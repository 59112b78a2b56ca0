import { describe, expect, test } from "vitest";
import { recordingsFolder } from "../providers/recordings.ts";
import { scaled } from "../scale.ts";
import { mutateStreams } from "./structural-mutations.ts";

describe.skipIf(recordingsFolder === null)("recorded streams with one change of their structure each", () => {
  const verdicts = Object.entries(mutateStreams(scaled(1000), 1));

  const kept = ["same", "empty", "fewer", "refused", "failed"];
  /** Events of these formats have neither numbers nor ids, and nothing repeats them: docs/providers.md names the limit. */
  const changeable = /^(?:(?:anthropic|chat|gemini-stream) (?:drop|double|swap)|interactions (?:drop|swap))$/;

  test.each(verdicts)("%s: a call that would run otherwise is refused, wherever the stream shows it", (key, counts) => {
    expect([...kept, ...(changeable.test(key) ? ["changed"] : [])]).toEqual(
      expect.arrayContaining(Object.keys(counts)),
    );
  });

  test("every format has every class of change", () => {
    expect(verdicts.length).toBe(5 * 6);
  });

  test("run every call as it was sent in most cases", () => {
    for (const [key, { same = 0, ...others }] of verdicts) {
      // Half of Gemini's streams are one event, and each of its events is a whole response.
      const share = same / Object.values(others).reduce((sum, count) => sum + count, same);
      expect({ key, isEnough: share >= (key.startsWith("gemini") ? 0 : 0.3) }).toEqual({ key, isEnough: true });
    }
  });
});
