import { describe, expect, test } from "vitest";
import { scaled } from "../scale.ts";
import { checkCuts } from "./cut-streams.ts";
import { recordedStreams, recordingsFolder } from "./recordings.ts";
import { seededRandom } from "./seeded-random.ts";

describe.skipIf(recordingsFolder === null)("a recorded stream that is cut off", () => {
  const one = scaled(6, 120);

  test("leaves a history that every provider accepts, wherever it is cut", () => {
    const random = seededRandom(7);
    const cuts = recordedStreams().map((row) => checkCuts(row, (event) => event < 3 || random(60) < one));
    expect(cuts.reduce((sum, each) => sum + each, 0)).toBeGreaterThan(3_000);
  }, 60_000);
});
