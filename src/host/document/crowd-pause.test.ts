import { expect, test } from "vitest";
import { CrowdPause } from "./crowd-pause.ts";

/** The wait of whoever comes after these, one every `gapMs`, before so many watchers. */
function after(count: number, gapMs: number, audience: number): { readonly waitMs: number; readonly enough: number } {
  const crowd = new CrowdPause();
  for (let came = 0; came < count; came += 1) crowd.came(came * gapMs);
  return crowd.of(audience, (count - 1) * gapMs);
}

test.each([
  ["alone before a crowd", after(1, 0, 200), { waitMs: 0, enough: 1 }],
  ["at one keyboard's rate before a crowd", after(100, 100, 200), { waitMs: 0, enough: 1 }],
  ["with nine others before fifty watchers", after(100, 12.5, 50), { waitMs: 0, enough: 1 }],
  ["with many others before eleven", after(1_000, 1, 11), { waitMs: 0, enough: 1 }],
  ["with many others before thirty", after(1_000, 2, 30), { waitMs: 10, enough: 5 }],
  ["with many others before a crowd", after(1_000, 1, 200), { waitMs: 50, enough: 50 }],
])("who types %s", (_who, pause, expected) => {
  expect(pause).toEqual(expected);
});

test("when the others have stopped, nobody is waited for", () => {
  const crowd = new CrowdPause();
  for (let at = 0; at < 1_000; at += 2) crowd.came(at);
  expect(crowd.of(50, 1_000).waitMs).toBeGreaterThan(0);
  expect(crowd.of(50, 1_500).waitMs).toBe(0);
});
