import { expect, test } from "vitest";
import { openMemoryStore } from "../../adapters/storage/memory/open-memory-store.ts";
import type { Actor } from "../../core/base/actor.ts";
import type { ActorId, NodeId, PersonId, RunId, TurnId } from "../../core/base/ids.ts";
import { noUsage } from "../../core/message/usage.ts";
import { after } from "../../core/rights/after.test-support.ts";
import { noRights } from "../../core/rights/rights.ts";
import { simulatedClock } from "../../testing/simulated-clock.ts";
import { TeamBudgets } from "./team-budgets.ts";

const ada = "ada" as PersonId;
const rights = after(noRights, [
  { type: "person-added", id: ada, name: "Ada" },
  {
    type: "budget-set",
    holder: { type: "person", id: ada },
    per: "month",
    limits: { tokens: 1_500, dollars: null },
  },
]);
const model = { id: "a" as ActorId, name: "m", model: "m", runId: "r" as RunId, turnId: "t" as TurnId };
const actor: Actor = { type: "model", ...model };

test("21.6 a charge whose transaction was not made is taken back, also in the store; one that was made stays", async () => {
  const store = openMemoryStore();
  const clock = simulatedClock();
  const ports = {
    store,
    keeper: { rights },
    models: { list: () => [] },
    platform: { clock, logger: { info: () => {}, warn: () => {}, error: () => {} } },
    personOfProgram: () => null,
  };
  const budgets = new TeamBudgets(ports);
  const reply = {
    createdAt: clock.now(),
    actor,
    turnId: null,
    usage: { ...noUsage, inputTokens: 900, outputTokens: 100 },
  };
  const charge = (id: string) => budgets.charge([{ payer: ada, nodes: [{ ...reply, id: id as NodeId }] }]);
  const made = await charge("one");
  await store.commit(made.writes);
  const failed = await charge("two");
  expect(await budgets.whyNot(ada)).toMatchObject({ code: "BUDGET_EXCEEDED" });
  failed.undo();
  expect(await budgets.whyNot(ada)).toBeNull();
  const opened = new TeamBudgets(ports);
  await expect.poll(async () => (await opened.states()).map(({ spent }) => spent.tokens)).toEqual([1_000]);
});
