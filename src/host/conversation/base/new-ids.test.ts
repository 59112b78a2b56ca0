import { expect, test } from "vitest";
import { idBehind, timeSortedId } from "../../../core/base/ids.ts";
import { simulatedClock } from "../../../testing/simulated-clock.ts";
import { newIds } from "./new-ids.ts";

test("K-26 drafts of replies that begin in one millisecond are numbered in the order of their beginning", async () => {
  const clock = simulatedClock();
  let drawn = 255;
  // The random part falls with each draw, so that it orders nothing.
  const random = { bytes: (count: number) => new Uint8Array(count).fill((drawn -= 1)) };
  const ids = newIds({ clock, random });
  const made = Array.from({ length: 40 }, () => ids.draft());
  await clock.advance(1);
  made.push(ids.draft());
  expect(made.toSorted()).toEqual(made);
  expect(new Set(made).size).toBe(41);
});

test("the id behind another carries over the last character of the alphabet", () => {
  const id = timeSortedId("draft", 1_700_000_000_000, new Uint8Array(12).fill(31));
  const behind = idBehind(id);
  expect(behind > id).toBe(true);
  expect(behind).toHaveLength(id.length);
  expect(behind.endsWith("000000000000")).toBe(true);
  expect(idBehind("draft_0a")).toBe("draft_0b");
});
