import { must } from "../../../core/base/assert.ts";
import { expect, test } from "vitest";
import { hubLimits } from "../record/limits.ts";
import { FairQueue, type Job } from "./fair-queue.ts";
import type { QueuedMutation } from "./mutation.ts";

function mutation(name: string, replica: number, facts: object = {}): QueuedMutation {
  return { name, mutation: { author: { replica }, ...facts } } as unknown as QueuedMutation;
}
const alone = (): Job => ({ type: "alone", run: async () => {} });
const nameOf = (job: Job | undefined): string =>
  job === undefined ? "none" : job.type === "alone" ? "alone" : (job.queued as unknown as { name: string }).name;

function queueOf(...jobs: readonly (QueuedMutation | Job)[]): FairQueue {
  const queue = new FairQueue();
  for (const job of jobs) queue.add("type" in job ? job : { type: "mutate", queued: job });
  return queue;
}
function drained(queue: FairQueue): readonly string[] {
  const names: string[] = [];
  while (queue.length > 0) names.push(nameOf(queue.next()));
  return names;
}
const busy = mutation("busy", 1);

test("jobs are taken in their order while nobody has kept the document busy", () => {
  const queue = queueOf(mutation("a", 1), mutation("b", 2), alone(), mutation("c", 1));
  queue.spent(busy, hubLimits.sliceMs);
  expect(drained(queue)).toEqual(["a", "b", "alone", "c"]);
  expect(queue.next()).toBeUndefined();
});

test("an author who has kept the document busy lets others go first, in the order of each", () => {
  const queue = queueOf(mutation("a1", 1), mutation("a2", 1), mutation("b1", 2), mutation("c1", 3), mutation("b2", 2));
  queue.spent(busy, hubLimits.sliceMs);
  queue.spent(busy, 1);
  queue.spent(mutation("b", 2), 5);
  expect(drained(queue)).toEqual(["c1", "b1", "b2", "a1", "a2"]);
});

test("nobody overtakes a job that runs alone", () => {
  const queue = queueOf(mutation("a", 1), alone(), mutation("b", 2));
  queue.spent(busy, hubLimits.sliceMs * 2);
  expect(drained(queue)).toEqual(["a", "alone", "b"]);
});

test("an empty queue forgets who was busy", () => {
  const queue = queueOf();
  queue.spent(busy, hubLimits.sliceMs * 2);
  expect(queue.next()).toBeUndefined();
  for (const job of [mutation("a", 1), mutation("b", 2)]) queue.add({ type: "mutate", queued: job });
  expect(nameOf(queue.next())).toBe("a");
});

test("mutations share a commit up to one that repeats a request, or runs alone", () => {
  const first = mutation("a", 1, { requestId: "one" });
  const queue = queueOf(
    mutation("b", 2),
    mutation("c", 1),
    mutation("d", 1, { requestId: "two" }),
    mutation("e", 1, { requestId: "two" }),
  );
  expect(queue.takeWith(first).map(({ mutation: each }) => each.requestId)).toEqual([
    "one",
    undefined,
    undefined,
    "two",
  ]);
  expect(queue.length).toBe(1);
  expect(queueOf(mutation("x", 1, { requestId: "one" })).takeWith(first)).toEqual([first]);
  expect(queueOf(alone(), mutation("x", 1)).takeWith(first)).toEqual([first]);
});

test("what people type overtakes others' commits of their own, and nobody overtakes themselves", () => {
  const guarded = { guards: [] };
  const queue = queueOf(
    mutation("agent1", 11, guarded),
    mutation("b1", 2),
    mutation("agent2", 12, guarded),
    mutation("agent2 again", 12),
    mutation("c1", 3),
    alone(),
    mutation("d1", 4),
  );
  const taken = queue.takeWith(mutation("a1", 1));
  expect(taken.map((queued) => nameOf({ type: "mutate", queued }))).toEqual(["a1", "b1", "c1"]);
  expect(drained(queue)).toEqual(["agent1", "agent2", "agent2 again", "alone", "d1"]);
});

test("a commit holds as many mutations as the limit, and those put back come first again", () => {
  const many = Array.from({ length: hubLimits.batchMutationsMax + 1 }, (_, index) => mutation(`m${index}`, 1));
  const queue = queueOf(...many.slice(1));
  const taken = queue.takeWith(must(many[0], "a mutation"));
  expect([taken.length, queue.length]).toEqual([hubLimits.batchMutationsMax, 1]);
  queue.putBack(taken.slice(-2));
  expect(drained(queue)).toEqual(many.slice(-3).map((each) => nameOf({ type: "mutate", queued: each })));
});
