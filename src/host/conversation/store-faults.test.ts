import { describe, expect, test } from "vitest";
import { StoreAwayError, StoreFaultError } from "../../adapters/storage/shared/store-error.ts";
import { must } from "../../core/base/assert.ts";
import type { RootId } from "../../core/base/ids.ts";
import type { JsonObject } from "../../core/base/json.ts";
import { textOf } from "../../core/message/content.ts";
import { noUsage } from "../../core/message/usage.ts";
import type { StoreWrite } from "../../core/port/store.ts";
import {
  accepted,
  brokenBranches,
  brokenLine,
  calls,
  code,
  fails,
  says,
  World,
  type Script,
  type ScriptStep,
} from "./queue/conversation.test-support.ts";
import { subAgentPrompt } from "./sub-agents.ts";

const asks = (name: string, input: JsonObject = {}, index = 0): readonly ScriptStep[] => [
  { type: "tool-call-start", index, id: `call-${name}`, name },
  { type: "tool-call-delta", index, text: JSON.stringify(input) },
  { type: "tool-call-end", index },
];
const toUse: ScriptStep = { type: "finished", reason: "tool-use", usage: noUsage };
const questions = [{ question: "Which?", options: [{ label: "a" }, { label: "b" }] }];
const tasks = [{ task: "north" }, { task: "south" }];

/** A turn with everything in it: a retry, tools, an approval, a question, and sub-agents. */
function eventful(): Script {
  let broke = false;
  return (request) => {
    const answered = request.messages.filter(({ role }) => role === "tool").length;
    if (request.system.startsWith(subAgentPrompt)) {
      const task = textOf(must(request.messages[0], "a task"));
      return answered > 0 ? [...asks("submit_result", { result: "fine" }), toUse] : [...asks(`slow-${task}`), toUse];
    }
    if (!broke) {
      broke = true;
      return [{ type: "text-start", index: 0 }, { type: "text-delta", index: 0, text: "first" }, ...fails(brokenLine)];
    }
    switch (answered) {
      case 0:
        return [...asks("slow-a"), ...asks("fail-b", {}, 1), ...asks("out-c", {}, 2), toUse];
      case 3:
        return [...asks("ask_user", { questions }), toUse];
      case 4:
        return [...asks("spawn_sub_agents", { tasks }), toUse];
      default:
        return says("done");
    }
  };
}

interface Lived {
  readonly world: World;
  readonly rootId: RootId;
}

/** Plays that turn with a person who retries refused commands; `happens` is called at every commit and read. */
async function lived(happens: (what: "commit" | "read") => "STORE_FULL" | null): Promise<Lived> {
  const world = await World.start({ script: eventful() });
  const { conversations, ada } = world;
  const rootId = await world.newRoot();
  world.onCommit = () => happens("commit");
  world.onRead = () => void happens("read");
  for (let sent = false; !sent;) {
    sent = await attempt(() => conversations.messages.send(ada, { rootId, parentNodeId: null, text: "hi" }));
  }
  for (let tries = 0; tries < 15; tries += 1) {
    await world.clock.advance(2_000);
    await answers(world, rootId);
  }
  world.onRead = () => {};
  return { world, rootId };
}

async function attempt(job: () => Promise<{ readonly ok: boolean }>): Promise<boolean> {
  try {
    return (await job()).ok;
  } catch {
    return false;
  }
}

async function answers({ store, conversations, ada }: World, rootId: RootId): Promise<void> {
  for (const { id: runId, state } of await store.runs(rootId)) {
    if (state.type === "awaiting-approval") {
      const { callId, argumentsHash } = state.request;
      const allow = { runId, callId, argumentsHash, decision: "allow", remember: "once" } as const;
      await attempt(() => conversations.approvals.answer(ada, allow));
    }
    if (state.type === "awaiting-answer") {
      const answer = { runId, callId: state.callId, answers: [{ chosen: ["a"] }] };
      await attempt(() => conversations.runs.answerQuestion(ada, answer));
    }
  }
}

/** Returns what is wrong with the outcome. */
async function faultsOf({ world, rootId }: Lived): Promise<readonly string[]> {
  const faults: string[] = [];
  const runs = await world.store.runs(rootId);
  const shown = accepted(await world.conversations.view(rootId)).runs;
  if (runs.length !== 1 || shown.length !== 1) faults.push(`${runs.length} runs are stored, ${shown.length} shown`);
  for (const root of await world.store.roots()) {
    faults.push(...(await brokenBranches(world, root.id)));
    for (const { id, state } of await world.store.runs(root.id)) {
      if (state.type !== "idle" && state.type !== "completed") faults.push(`${id} stays in ${state.type}`);
      if ((await world.store.effects(id)).length > 0) faults.push(`${id} left effects`);
    }
  }
  const said = runs[0] === undefined ? [] : await world.branch(runs[0].id);
  if (said.length !== 10 || said.at(-1) !== "assistant: done") faults.push(said.join(" | "));
  const ran = world.tools.log.toSorted();
  if (
    ran.join() !== ["fail-b", "out-c", "slow-a", "slow-north", "slow-south"].map((name) => `ran call-${name}`).join()
  ) {
    faults.push(ran.join());
  }
  const live = [...world.journal.shownById.values()].filter(({ status }) => status === "running");
  if (live.length > 0) faults.push("live blocks run on");
  return faults;
}

const away = (): never => {
  throw new StoreAwayError("the database is away");
};

interface Failure {
  readonly kind: "commit" | "read";
  readonly how: string;
  readonly fail: () => "STORE_FULL" | never;
}
const failures: readonly Failure[] = [
  { kind: "commit", how: "refuses as full", fail: () => "STORE_FULL" },
  { kind: "commit", how: "throws", fail: away },
  { kind: "read", how: "throws", fail: away },
];

describe("a store that fails once, temporarily,", () => {
  test.each(failures)(
    "at whichever $kind of a turn, and $how, delays the turn: nothing is lost or run twice",
    async ({ kind, fail }) => {
      let most = 0;
      const count = (what: string): null => {
        if (what === kind) most += 1;
        return null;
      };
      expect(await faultsOf(await lived(count))).toEqual([]);
      expect(most).toBeGreaterThan(50);
      for (let at = 1; at <= most; at += 1) {
        let happened = 0;
        const once = await lived((what) => {
          if (what === kind) happened += 1;
          return what === kind && happened === at ? fail() : null;
        });
        expect(await faultsOf(once), `${kind} ${at}`).toEqual([]);
      }
    },
  );

  test("when sub-agents are being stopped does not keep them running", async () => {
    const world = await World.start({
      script: ({ system }, turn) => [
        ...(system.startsWith(subAgentPrompt) ? asks(`slow-${turn}`) : asks("spawn_sub_agents", { tasks })),
        toUse,
      ],
    });
    const { runId } = await world.send(await world.newRoot(), null, "hi");
    await world.clock.advance(100);
    let commits = 0;
    world.onCommit = () => ((commits += 1) === 1 ? null : "STORE_FULL");
    accepted(await world.conversations.runs.cancel(world.ada, { runId, reason: "stopped" }));
    await world.clock.advance(200);
    world.onCommit = () => null;
    await world.rest();
    const agents = (await world.store.roots()).filter(({ parent }) => parent !== undefined);
    const states = (await Promise.all(agents.map(({ id }) => world.store.runs(id)))).flat().map(({ state }) => state);
    expect(states.map((state) => (state.type === "failed" ? state.reason : state.type))).toEqual([
      "cancelled",
      "cancelled",
    ]);
    expect(await world.runState(runId)).toBe("idle");
  });
});

test.each(failures.slice(0, 2))(
  "a reply is shown while it streams although the store $how as it begins",
  async ({ fail }) => {
    const reply: readonly ScriptStep[] = [
      { type: "text-start", index: 0 },
      { type: "text-delta", index: 0, text: "slowly" },
      { pauseMs: 30_000 },
      ...says().slice(-2),
    ];
    const world = await World.start({ script: () => reply });
    const rootId = await world.newRoot();
    const { runId } = await world.send(rootId, null, "hi");
    world.onCommit = (writes) => (writes.every(({ type }) => type === "append-feed") ? fail() : null);
    await world.clock.advance(500);
    world.onCommit = () => null;
    await world.clock.advance(5_000);
    const feed = await world.store.feed(rootId, 0, 100);
    const shown = feed.flatMap(({ body }) =>
      body.type === "run-changed" && body.runId === runId ? [body.liveBlocks] : [],
    );
    expect(shown.at(-1)).toEqual([...world.journal.shownById.keys()]);
    await world.rest();
    expect(await world.branch(runId)).toEqual(["user: hi", "assistant: slowly"]);
  },
);

describe("the restart event of an interrupted run", () => {
  test("precedes whatever a person does next, even if the disk was full at first: their next turn is not taken for the interrupted turn", async () => {
    const script: Script = (_request, turn) => (turn === 2 ? says("done") : calls(turn === 0 ? "slow-a" : "slow-b"));
    const before = await World.start({ script });
    const rootId = await before.newRoot();
    const { runId } = await before.send(rootId, null, "hi");
    await before.clock.advance(500);
    const world = await World.start({
      script: (request, turn) => script(request, turn + 1),
      image: before.store.image(),
      journal: before.journal,
      onCommit: () => "STORE_FULL",
    });
    await world.clock.advance(500);
    const stop = { runId, reason: "stopped" } as const;
    expect(code(await world.conversations.runs.cancel(world.ada, stop))).toBe("STORE_FULL");
    world.onCommit = () => null;
    accepted(await world.conversations.runs.cancel(world.ada, stop));
    await world.send(rootId, must(await world.store.run(runId), "a run").headNodeId, "again");
    await world.rest();
    expect(await world.branch(runId)).toEqual([
      "user: hi",
      "assistant: [call-slow-a]",
      "tool call-slow-a: unknown",
      "user: again",
      "assistant: [call-slow-b]",
      "tool call-slow-b: ok",
      "assistant: done",
    ]);
    expect(world.tools.log).toEqual(["ran call-slow-b"]);
  });
});

test("resumes a turn even if its conversation could not be read at first", async () => {
  const script: Script = (_request, turn) => (turn === 0 ? calls("safe") : says("done"));
  const before = await World.start({ script });
  const rootId = await before.newRoot();
  const { runId } = await before.send(rootId, null, "hi");
  await before.clock.advance(500);
  const image = before.store.image();
  for (const query of ["root", "feedSeq", "runs", "node", "effects"]) {
    const world = await World.start({
      script: () => says("done"),
      image,
      journal: before.journal.copy(),
      onRead: (read) => (read === query ? away() : undefined),
    });
    world.onRead = () => {};
    await world.rest();
    expect(await world.runState(runId), query).toBe("idle");
    expect((await world.branch(runId)).at(-1)).toBe("assistant: done");
  }
});

test("resumes a turn in a conversation that was read again, even if nobody watches it", async () => {
  const world = await World.start({ script: (_request, turn) => (turn === 0 ? calls("safe") : says("done")) });
  const rootId = await world.newRoot();
  const { runId } = await world.send(rootId, null, "hi");
  await world.clock.advance(100);
  const run = must(await world.store.run(runId), "a run");
  const theirs = { ...run, eventSeq: run.eventSeq + 1 };
  accepted(await world.store.commit([{ type: "put-run", run: theirs, expectedEventSeq: run.eventSeq }]));
  await world.rest();
  expect(await world.runState(runId)).toBe("idle");
  expect((await world.branch(runId)).at(-1)).toBe("assistant: done");
});

describe("an event that can never be stored", () => {
  const holdsResult = (writes: readonly StoreWrite[]): boolean =>
    writes.some((write) => write.type === "put-node" && JSON.stringify(write.node.message).includes("did"));

  test("does not block its run: the outcome of the call is reported as unknown", async () => {
    const world = await World.start({ script: (_request, turn) => (turn === 0 ? calls("a", "b") : says("done")) });
    const rootId = await world.newRoot();
    world.onCommit = (writes) => {
      if (holdsResult(writes)) throw new StoreFaultError("too big");
      return null;
    };
    const { runId } = await world.send(rootId, null, "hi");
    await world.rest();
    expect(await world.branch(runId)).toEqual([
      "user: hi",
      "assistant: [call-a] [call-b]",
      "tool call-a: unknown",
      "tool call-b: unknown",
      "assistant: done",
    ]);
    expect(world.tools.log).toEqual(["ran call-a", "ran call-b"]);
  });

  test("leaves no unrequested run behind", async () => {
    const world = await World.start();
    const rootId = await world.newRoot();
    const { runId } = await world.send(rootId, null, "hi");
    await world.rest();
    const { headNodeId } = must(await world.store.run(runId), "a run");
    world.onCommit = () => "STORE_FULL";
    const nodeId = must(headNodeId, "an answer");
    const edited = await world.conversations.messages.edit(world.ada, { nodeId, text: "other words" });
    expect(code(edited)).toBe("STORE_FULL");
    world.onCommit = away;
    await expect(
      world.conversations.messages.send(world.ada, { rootId, parentNodeId: null, text: "hi" }),
    ).rejects.toThrow("away");
    world.onCommit = () => null;
    expect(accepted(await world.conversations.view(rootId)).runs.map((run) => run.runId)).toEqual([runId]);
  });
});
