import { expect, test } from "vitest";
import type { RunId } from "../../../src/core/base/ids.ts";
import { editPolicies } from "../../../src/core/block/types.ts";
import { countdown, leaseFacts, shareLeft } from "./lease-words.ts";
import { nextPolicy } from "./policy-words.ts";

const now = Date.UTC(2026, 10, 20, 12);
const held = {
  runId: "run_1" as RunId,
  holderName: "Scribe (built-in author)",
  since: now - 75_000,
  renewedAt: now - 3_000,
  expiresAt: now + 12_000,
};

test.each([
  [12_000, "0:12"],
  [11_001, "0:12"],
  [65_000, "1:05"],
  [1, "0:01"],
  [0, "0:00"],
  [-5_000, "0:00"],
])("countdown shows a lease with %i ms left as %s", (left, words) => {
  expect(countdown(now + left, now)).toBe(words);
});

test("shareLeft returns the remaining share of the time since the last sign of life", () => {
  expect(shareLeft(held, now)).toBeCloseTo(0.8);
  expect(shareLeft(held, held.expiresAt + 1)).toBe(0);
  expect(shareLeft(held, held.renewedAt - 500)).toBe(1);
});

test("the lease words name holder, start, last sign of life, expiry and meaning under each policy", () => {
  const meanings = editPolicies.map((policy) => {
    const { rows, meaning } = leaseFacts({ epoch: 7, held }, policy, now);
    expect(rows.map(({ label }) => label)).toEqual(["Held by", "Since", "Last renewed", "Expires", "Epoch"]);
    const values = rows.map(({ value }) => value);
    expect(values[0]).toBe("Scribe (built-in author)");
    expect(values[1]).toMatch(/\(75 s ago\)$/);
    expect(values.slice(2)).toEqual(["3 s ago", "in 0:12, unless renewed", "7"]);
    return meaning;
  });
  expect(new Set(meanings).size).toBe(editPolicies.length);
});

test("nextPolicy cycles through all policies", () => {
  let policy = nextPolicy("live");
  const seen = [policy];
  for (; policy !== "live"; seen.push(policy)) policy = nextPolicy(policy);
  expect(seen.toSorted()).toEqual([...editPolicies].toSorted());
});
