import { expect, test } from "vitest";
import type { BlockId, RunId } from "../../core/base/ids.ts";
import { leaseView } from "./lease-view.ts";

const message = {
  type: "lease-changed",
  canvasId: "doc/1/1" as BlockId,
  epoch: 3,
  at: 1_000_000,
  held: {
    runId: "run_1" as RunId,
    holderName: "Scribe",
    since: 960_000,
    renewedAt: 998_000,
    expiresAt: 1_013_000,
  },
} as const;

test.each([
  ["the server's", 1_000_000],
  ["an hour behind", 1_000_000 - 3_600_000],
  ["an hour ahead", 1_000_000 + 3_600_000],
])("leaseView keeps the remaining time of a lease when this machine's clock is %s", (_name, now) => {
  const { epoch, held } = leaseView(message, now);
  expect({ epoch, left: (held?.expiresAt ?? 0) - now }).toEqual({ epoch: 3, left: 13_000 });
  expect([now - (held?.since ?? 0), now - (held?.renewedAt ?? 0)]).toEqual([40_000, 2_000]);
});

test("leaseView of a free lease has an epoch and no times", () => {
  expect(leaseView({ ...message, held: null }, 5)).toEqual({ epoch: 3, held: null });
});
