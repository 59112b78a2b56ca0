import { expect, test } from "vitest";
import { refusal } from "../../../core/base/errors.ts";
import { err, ok } from "../../../core/base/result.ts";
import { simulatedClock } from "../../../testing/simulated-clock.ts";
import { ReportedEvents } from "./reported-events.ts";

type Given = ConstructorParameters<typeof ReportedEvents>;

test("an event that the store refuses is logged, and taken as soon as the store takes it", async () => {
  const clock = simulatedClock();
  const logged: unknown[] = [];
  const outcomes = [err(refusal("STORE_FULL")), err(refusal("STORE_FAILED")), ok(undefined)];
  const logger = { error: (...entry: readonly unknown[]) => void logged.push(entry) };
  const owner = {
    hasEnded: () => false,
    take: async () => outcomes.shift(),
    enqueue: (job: () => Promise<void>) => void job(),
  };
  const events = new ReportedEvents(
    { platform: { clock, logger } } as unknown as Given[0],
    owner as unknown as Given[1],
  );
  const run = { id: "run", performer: { isCurrent: () => true } };
  const event = { type: "turn-cancelled", reason: "stopped" };
  type Taken = Parameters<typeof events.take>;
  await events.take(run as unknown as Taken[0], { activity: {}, event } as unknown as Taken[1]);
  await clock.advance(60_000);
  expect(outcomes).toEqual([]);
  expect(logged).toEqual(
    ["STORE_FULL", "STORE_FAILED"].map((code) => ["event-refused", { runId: "run", event: "turn-cancelled", code }]),
  );
});
