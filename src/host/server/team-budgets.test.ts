import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { openMemoryStore } from "../../adapters/storage/memory/open-memory-store.ts";
import { systemPlatform } from "../../adapters/platform/system-platform.ts";
import { must } from "../../core/base/assert.ts";
import type { ActorId, GroupId, PersonId, RootId } from "../../core/base/ids.ts";
import { accept } from "../../core/base/result.test-support.ts";
import { noUsage } from "../../core/message/usage.ts";
import type { Store } from "../../core/port/store.ts";
import type { HeddleClient } from "../../client/base/types.ts";
import { connectTestClient, until } from "../../testing/test-client.ts";
import { startTestServer } from "../../testing/test-server.ts";
import { scriptedCatalogue } from "../cli/chat/chat.test-support.ts";
import { RightsKeeper } from "../access/rights-keeper.ts";
import { TeamBudgets } from "../access/team-budgets.ts";
import { says } from "../conversation/queue/conversation.test-support.ts";
import { startTestTeam, type TestTeam } from "./team.test-support.ts";

const closing: (() => unknown)[] = [];
let store: Store;
let team: TestTeam;
let ada: HeddleClient;
let bob: HeddleClient;
let asked = 0;

/** Each reply costs 1,000 tokens, and a dollar. */
const { catalogue } = scriptedCatalogue(
  () => {
    asked += 1;
    return says(`reply ${asked}`).map((step) =>
      step.type === "finished" ? { ...step, usage: { ...noUsage, inputTokens: 900, outputTokens: 100 } } : step,
    );
  },
  { input: 1_000, output: 1_000 },
);

async function open(): Promise<void> {
  team = await startTestTeam({ store, catalogue });
  [ada, bob] = ["ada", "bob"].map((id) => team.connect(id)) as [HeddleClient, HeddleClient];
}
beforeEach(async () => {
  asked = 0;
  store = openMemoryStore();
  await open();
  await team.add("bob", "editor");
  closing.push(() => team.server.close());
});
afterEach(async () => {
  for (const client of [ada, bob]) client.close();
  for (const close of closing.splice(0).toReversed()) await close();
});

async function talk(client: HeddleClient): Promise<RootId> {
  return accept(await client.call("conversation.create", { title: "Looms" })).rootId;
}

/** Sends a message to the end of a conversation, and waits for the turn's end. */
async function send(client: HeddleClient, rootId: RootId): Promise<string> {
  const view = client.conversation(rootId);
  const parentNodeId = view.get()?.runs[0]?.headNodeId ?? null;
  const sent = await client.call("message.send", { rootId, parentNodeId, text: "And now?" });
  if (!sent.ok) return `${sent.error.code} ${sent.error.message}`;
  await until(view, (now) => {
    const run = now?.runs.find(({ runId }) => runId === sent.value.runId);
    return run !== undefined && ["idle", "error"].includes(run.state.type) && run.headNodeId !== parentNodeId;
  });
  return view.get()?.runs.find(({ runId }) => runId === sent.value.runId)?.state.type ?? "none";
}

const budget = (of: { type: "person" | "group"; id: string }, limits: { tokens?: number; dollars?: number }) =>
  ada.call("budget.set", {
    of: of as never,
    per: "month",
    tokens: limits.tokens ?? null,
    dollars: limits.dollars ?? null,
  });
const bobs = { type: "person", id: "bob" } as const;

test("21.6 a turn that would begin over its person's budget is refused with whose it is, how much, and until when", async () => {
  accept(await budget(bobs, { tokens: 1_500 }));
  const rootId = await talk(bob);
  expect([await send(bob, rootId), await send(bob, rootId)]).toEqual(["idle", "idle"]);
  const refused = await bob.call("message.send", { rootId, parentNodeId: null, text: "Once more" });
  const { code, message, details } = must(refused.ok ? null : refused.error, "a refusal");
  expect([code, details]).toMatchObject([
    "BUDGET_EXCEEDED",
    { of: "person", id: "bob", name: "bob", per: "month", tokens: 1_500, spent: { tokens: 2_000 } },
  ]);
  expect(Number(details?.["free_at"])).toBeGreaterThan(Date.now());
  expect(message).toMatch(
    /^The budget of bob is used up: 1,500 tokens a month\..* free again on \d{4}-\d\d-01 00:00 UTC/u,
  );
  expect(asked).toBe(2);
  // What others ask is theirs, also in the same conversation.
  expect(await send(ada, rootId)).toBe("idle");
  expect(accept(await bob.call("budget.list", {}))).toMatchObject({
    budgets: [{ name: "bob", spent: { tokens: 2_000, dollars: 2 }, isUsedUp: true }],
    mayManage: false,
  });
});

test("21.6 a restart and a deleted conversation give nothing of a budget back; raising it does", async () => {
  accept(await budget(bobs, { dollars: 1 }));
  const rootId = await talk(bob);
  expect(await send(bob, rootId)).toBe("idle");
  accept(await ada.call("conversation.delete", { rootId }));
  // What the next start reads of the same store.
  const { clock } = systemPlatform();
  const keeper = await RightsKeeper.open(store, clock);
  const ports = { store, keeper, models: catalogue, platform: team.server.workspace.platform };
  const restarted = new TeamBudgets(ports);
  expect(await restarted.whyNot("bob" as PersonId)).toMatchObject({ code: "BUDGET_EXCEEDED" });
  expect(await restarted.whyNot("ada" as PersonId)).toBe(null);
  const next = await talk(bob);
  expect(await send(bob, next)).toContain("BUDGET_EXCEEDED The budget of bob is used up: 1 US dollars a month.");
  accept(await budget(bobs, { dollars: 3 }));
  expect(await send(bob, next)).toBe("idle");
});

test("21.6 a group's budget is used by what its members ask together, and by nobody else", async () => {
  await team.add("cy", "editor");
  const { groupId } = accept(await ada.call("group.create", { name: "Weavers" }));
  for (const id of ["bob", "cy"]) {
    accept(await ada.call("group.set-member", { groupId: groupId as GroupId, personId: id as PersonId, member: true }));
  }
  accept(await budget({ type: "group", id: groupId }, { tokens: 1_000 }));
  const cy = team.connect("cy");
  closing.push(() => cy.close());
  expect(await send(bob, await talk(bob))).toBe("idle");
  expect(await send(cy, await talk(cy))).toContain("The budget of the group Weavers is used up");
  expect(await send(ada, await talk(ada))).toBe("idle");
  accept(
    await ada.call("group.set-member", { groupId: groupId as GroupId, personId: "cy" as PersonId, member: false }),
  );
  expect(await send(cy, await talk(cy))).toBe("idle");
});

test("21.6 a message that waited is not answered over budget, and its turn says why", async () => {
  accept(await budget(bobs, { tokens: 1_000 }));
  const rootId = await talk(bob);
  const view = bob.conversation(rootId);
  const texts = ["First", "Second"];
  const sent = [];
  for (const text of texts) sent.push(await bob.call("message.send", { rootId, parentNodeId: null, text }));
  await until(
    view,
    (now) =>
      (now?.runs.length ?? 0) > 0 && now?.runs.every(({ state }) => ["idle", "error"].includes(state.type)) === true,
  );
  expect(asked).toBeLessThanOrEqual(2);
  expect(await send(bob, rootId)).toContain("BUDGET_EXCEEDED");
});

test("21.6 only owners set budgets, each change is in the audit log, and others see theirs alone", async () => {
  const set = { of: bobs as never, per: "day", tokens: 5, dollars: null } as const;
  expect(await bob.call("budget.set", set)).toMatchObject({ ok: false, error: { code: "FORBIDDEN" } });
  accept(await budget({ type: "person", id: "ada" }, { tokens: 9_000 }));
  accept(await ada.call("budget.set", set));
  expect(accept(await bob.call("budget.list", {})).budgets.map(({ name, per }) => [name, per])).toEqual([
    ["bob", "day"],
  ]);
  expect(accept(await ada.call("budget.list", {})).budgets).toHaveLength(2);
  const [last] = (await store.audit(0, 1_000)).slice(-1);
  expect(last).toMatchObject({
    actor: "ada",
    act: "workspace.budgets",
    outcome: "done",
    after: { rows: [{ type: "budget", subject: "person:bob", per: "day", tokens: 5, dollars: null }] },
  });
});

test("21.6 a program's turns are paid from the budget of its person", async () => {
  accept(await budget(bobs, { tokens: 1_000 }));
  const secret = await team.program("bob");
  const command = async (name: string, params: object) => {
    const answer = await fetch(`${team.server.url}/api/commands/${name}`, {
      method: "POST",
      headers: { authorization: `Bearer ${secret}`, "content-type": "application/json" },
      body: JSON.stringify(params),
    });
    return (await answer.json()) as { rootId: RootId; error?: { code: string } };
  };
  const { rootId } = await command("conversation.create", { title: "By a program" });
  await command("message.send", { rootId, parentNodeId: null, text: "Hello" });
  await until(bob.conversation(rootId), (now) => now?.runs[0]?.state.type === "idle" && (now.nodesById.size ?? 0) > 1);
  expect((await command("message.send", { rootId, parentNodeId: null, text: "More" })).error?.code).toBe(
    "BUDGET_EXCEEDED",
  );
});

const nobodyPays =
  /^Nobody of this workspace's people began this turn.*No model was asked\. Send a message, or retry it/u;

test("21.6 a turn that would begin for nobody of the team, or for somebody who has left, is refused in words and asks no model", async () => {
  const rootId = await talk(ada);
  const { conversations } = team.server.workspace;
  await team.add("cy", "editor");
  await team.change({ type: "person-removed", id: "cy" as PersonId });
  for (const id of ["agent_workspace", "person_of_before", "cy"]) {
    const sender = { type: "person", id: id as ActorId, name: "Somebody" } as const;
    const sent = await conversations.messages.send(sender, { rootId, parentNodeId: null, text: "And now?" });
    const { code, message } = must(sent.ok ? null : sent.error, "a refusal");
    expect([id, code, message]).toEqual([id, "BUDGET_EXCEEDED", expect.stringMatching(nobodyPays)]);
  }
  expect(asked).toBe(0);
  expect(await store.nodes(rootId)).toEqual([]);
});

test("21.6 a turn from before there was a team asks no model any more, and who retries it pays", async () => {
  const memory = openMemoryStore();
  const hanging = scriptedCatalogue(() => [...says("Some words.").slice(0, 2), "hang"]);
  const alone = await startTestServer({ store: memory, catalogue: hanging.catalogue, welcome: false });
  const owner = connectTestClient(alone, { name: "Ada" });
  const { rootId } = accept(await owner.call("conversation.create", { title: "Looms" }));
  accept(await owner.call("message.send", { rootId, parentNodeId: null, text: "And now?" }));
  await vi.waitUntil(() => hanging.requests.length === 1);
  const image = memory.image();
  owner.close();
  await alone.close();
  for (const client of [ada, bob]) client.close();
  store = openMemoryStore(image);
  await open();
  closing.push(() => team.server.close());
  const view = ada.conversation(rootId);
  const stopped = await until(view, (now) => now?.runs[0]?.state.type === "error");
  const { runId, state } = must(stopped?.runs[0], "a run");
  expect(state).toMatchObject({ message: expect.stringMatching(nobodyPays) as string });
  expect(asked).toBe(0);
  accept(await budget({ type: "person", id: "ada" }, { tokens: 5_000 }));
  accept(await ada.call("run.retry", { runId }));
  await until(view, (now) => now?.runs[0]?.state.type === "idle");
  expect(asked).toBe(1);
  expect(accept(await ada.call("budget.list", {})).budgets).toMatchObject([{ spent: { tokens: 1_000 } }]);
});

test("21.6 a turn that began through a program whose permit was not read yet uses the budget of its person", async () => {
  const rootId = await talk(ada);
  accept(await budget(bobs, { tokens: 5_000 }));
  const { conversations, tokens } = team.server.workspace;
  const program = { type: "person", id: "agent_permit_loom" as ActorId, name: "Loom, for bob" } as const;
  accept(await conversations.messages.send(program, { rootId, parentNodeId: null, text: "And now?" }));
  await new Promise((resolve) => setTimeout(resolve, 200));
  expect(asked).toBe(0);
  const grant = { id: "permit_loom", name: "Loom", rights: ["read", "run"], scope: null } as const;
  const ofBob = {
    personOf: () => "bob" as PersonId,
    grantOf: () => grant,
    isValid: () => true,
    onEnded: () => () => {},
  };
  tokens.join(ofBob);
  await until(ada.conversation(rootId), (now) => now?.runs[0]?.state.type === "idle");
  expect(asked).toBe(1);
  expect(accept(await bob.call("budget.list", {})).budgets).toMatchObject([{ name: "bob", spent: { tokens: 1_000 } }]);
});
