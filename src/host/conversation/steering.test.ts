import { describe, expect, test } from "vitest";
import { StoreAwayError } from "../../adapters/storage/shared/store-error.ts";
import type { MemoryImage } from "../../adapters/storage/memory/tables.ts";
import type { ActorId, NodeId, RootId, RunId } from "../../core/base/ids.ts";
import { must } from "../../core/base/assert.ts";
import type { JsonObject } from "../../core/base/json.ts";
import { textOf } from "../../core/message/content.ts";
import type { ModelRequest } from "../../core/model/request.ts";
import { noUsage } from "../../core/message/usage.ts";
import type { StoreWrite } from "../../core/port/store.ts";
import { isSettled } from "../../core/turn/step/precheck.ts";
import type { TurnState } from "../../core/turn/state/state.ts";
import type { Delivery } from "../../core/turn/state/waiting.ts";
import {
  accepted,
  brokenBranches,
  brokenLine,
  calls,
  code,
  fails,
  type Journal,
  lineOf,
  says,
  World,
  type Script,
  type ScriptStep,
} from "./queue/conversation.test-support.ts";
import { subAgentPrompt } from "./sub-agents.ts";

/** One call with arguments. */
function callOf(name: string, parameters: JsonObject): readonly ScriptStep[] {
  return [
    { type: "tool-call-start", index: 0, id: `call-${name}`, name },
    { type: "tool-call-delta", index: 0, text: JSON.stringify(parameters) },
    { type: "tool-call-end", index: 0 },
    { type: "finished", reason: "tool-use", usage: noUsage },
  ];
}

/** A reply in two halves, a second apart. */
const halves: readonly ScriptStep[] = [
  { type: "text-start", index: 0 },
  { type: "text-delta", index: 0, text: "one" },
  { pauseMs: 1_000 },
  { type: "text-delta", index: 0, text: " two" },
  ...says().slice(1),
];

const question = { questions: [{ question: "Which?", options: [{ label: "a" }, { label: "b" }] }] };
const isOfAgent = (request: ModelRequest): boolean => request.system.startsWith(subAgentPrompt);
/** Texts of people in a row are one message for the model. */
const isFirst = ({ messages: [message, ...others] }: ModelRequest): boolean =>
  others.length === 0 && message !== undefined && textOf(message) === "hi";
const results = (request: ModelRequest): number => request.messages.filter(({ role }) => role === "tool").length;

/** The first request gets these steps; later ones, and those of agents, an answer in words. */
function first(steps: readonly ScriptStep[]): Script {
  return (request) => {
    if (isOfAgent(request)) return results(request) > 0 ? callOf("submit_result", { result: "r" }) : calls("slow-x");
    return isFirst(request) ? steps : says("ok");
  };
}

/** A place where a message finds its run, and where the message ends up by each way of delivery. */
interface Place {
  readonly state: TurnState["type"];
  readonly script: Script;
  /** Prepares the world before the first message. */
  readonly begin?: (world: World) => void;
  /** Brings the run there after the first message. */
  readonly reach: (world: World, runId: RunId) => Promise<void>;
  /** Lets a person do what the run waits for, so that it can go on. */
  readonly goOn?: (world: World, runId: RunId) => Promise<unknown>;
  /** The branch at the end; `turns` counts the turns of its messages. */
  readonly ends: {
    readonly [Way in Exclude<Delivery, "refuse">]: { readonly lines: readonly string[]; turns: number };
  };
  /** The founding call's refusal. */
  readonly refuse: string;
}

const settle = (world: World): Promise<void> => world.clock.settle();
const sentTwice = { lines: ["user: hi", "assistant: ok", "user: next", "assistant: ok"], turns: 2 };

async function allow(world: World, runId: RunId): Promise<void> {
  const { state } = must(await world.store.run(runId), "a run");
  if (state.type !== "awaiting-approval") return;
  const { callId, argumentsHash } = state.request;
  const answer = { runId, callId, argumentsHash, decision: "allow", remember: "once" } as const;
  accepted(await world.conversations.approvals.answer(world.ada, answer));
}

/** Returns the lines of a round of one call that ended so, with the message after it and the reply to both. */
function round(id: string, outcome: string): { readonly lines: readonly string[]; readonly turns: number } {
  const lines = ["user: hi", `assistant: [call-${id}]`, `tool call-${id}: ${outcome}`, "user: next", "assistant: ok"];
  return { lines, turns: outcome === "ok" ? 1 : 2 };
}

/** The same where the message waits for the end of the turn. */
function afterRound(id: string): { readonly lines: readonly string[]; readonly turns: number } {
  const lines = ["user: hi", `assistant: [call-${id}]`, `tool call-${id}: ok`, "assistant: ok"];
  return { lines: [...lines, "user: next", "assistant: ok"], turns: 2 };
}

const cancelled = async (world: World, runId: RunId): Promise<void> => {
  await settle(world);
  void world.conversations.runs.cancel(world.ada, { runId, reason: "stopped" });
  await world.clock.advance(1);
};

const spoken = (last: string) => ({ lines: ["user: hi", last, "user: next", "assistant: ok"], turns: 2 });

const places: { readonly [Name in string]: Place } = {
  idle: {
    state: "idle",
    script: () => says("ok"),
    reach: (world) => world.rest(),
    ends: { steer: sentTwice, queue: sentTwice, interrupt: sentTwice },
    refuse: "ok",
  },
  error: {
    state: "error",
    script: first(fails({ ...brokenLine, retryable: false })),
    reach: (world) => world.rest(),
    ends: {
      steer: { lines: ["user: hi", "user: next", "assistant: ok"], turns: 2 },
      queue: { lines: ["user: hi", "user: next", "assistant: ok"], turns: 2 },
      interrupt: { lines: ["user: hi", "user: next", "assistant: ok"], turns: 2 },
    },
    refuse: "ok",
  },
  awaiting: {
    state: "awaiting",
    script: () => says("ok"),
    reach: async () => {},
    begin: (world) => {
      let isAway = true;
      world.clock.setTimer(1_000, () => (isAway = false));
      world.onRead = (query) => {
        if (isAway && query === "paidNodes") throw new StoreAwayError("the database is away");
      };
    },
    ends: {
      steer: { lines: ["user: hi", "user: next", "assistant: ok"], turns: 1 },
      queue: sentTwice,
      interrupt: { lines: ["user: hi", "user: next", "assistant: ok"], turns: 2 },
    },
    refuse: "AGENT_BUSY",
  },
  streaming: {
    state: "requesting",
    script: first(halves),
    reach: settle,
    ends: {
      steer: { ...spoken("assistant: one two"), turns: 1 },
      queue: spoken("assistant: one two"),
      interrupt: spoken("assistant: one (interrupted)"),
    },
    refuse: "AGENT_BUSY",
  },
  "streaming calls": {
    state: "requesting",
    script: first([{ pauseMs: 1_000 }, ...calls("quick")]),
    reach: settle,
    ends: {
      steer: round("quick", "ok"),
      queue: afterRound("quick"),
      interrupt: { lines: ["user: hi", "user: next", "assistant: ok"], turns: 2 },
    },
    refuse: "AGENT_BUSY",
  },
  "a retry due": {
    state: "requesting",
    script: (_request, turn) => (turn === 0 ? fails(brokenLine) : says("ok")),
    reach: settle,
    ends: {
      steer: { lines: ["user: hi", "user: next", "assistant: ok"], turns: 1 },
      queue: sentTwice,
      interrupt: { lines: ["user: hi", "user: next", "assistant: ok"], turns: 2 },
    },
    refuse: "AGENT_BUSY",
  },
  "running tools": {
    state: "running-tools",
    script: first(calls("slow-a")),
    reach: settle,
    ends: { steer: round("slow-a", "ok"), queue: afterRound("slow-a"), interrupt: round("slow-a", "cancelled") },
    refuse: "AGENT_BUSY",
  },
  "awaiting an approval": {
    state: "awaiting-approval",
    script: first(calls("out")),
    reach: settle,
    goOn: allow,
    ends: { steer: round("out", "ok"), queue: afterRound("out"), interrupt: round("out", "cancelled") },
    refuse: "AWAITING_APPROVAL",
  },
  "awaiting an answer": {
    state: "awaiting-answer",
    script: first(callOf("ask_user", question)),
    reach: settle,
    goOn: (world, runId) => {
      const answer = { runId, callId: "call-ask_user" as never, answers: [{ chosen: ["a"] }] };
      return world.conversations.runs.answerQuestion(world.ada, answer);
    },
    ends: { steer: round("ask_user", "ok"), queue: afterRound("ask_user"), interrupt: round("ask_user", "denied") },
    refuse: "AWAITING_USER_RESPONSE",
  },
  "awaiting agents": {
    state: "awaiting-sub-agents",
    script: first(callOf("spawn_sub_agents", { tasks: [{ task: "look" }] })),
    reach: settle,
    ends: {
      steer: round("spawn_sub_agents", "ok"),
      queue: afterRound("spawn_sub_agents"),
      interrupt: round("spawn_sub_agents", "cancelled"),
    },
    refuse: "AGENT_BUSY",
  },
  cancelling: {
    state: "cancelling",
    script: first([...halves.slice(0, 2), { pauseMs: 50, deaf: true }, ...halves.slice(3)]),
    reach: cancelled,
    ends: {
      steer: spoken("assistant: one (interrupted)"),
      queue: spoken("assistant: one (interrupted)"),
      interrupt: spoken("assistant: one (interrupted)"),
    },
    refuse: "CANCELLATION_IN_PROGRESS",
  },
};

interface Played {
  readonly world: World;
  readonly rootId: RootId;
  readonly runId: RunId;
  readonly nodeId: NodeId;
}

async function play(
  { script, begin, reach, state }: Place,
  onCommit?: (writes: readonly StoreWrite[]) => null,
): Promise<Played> {
  const world = await World.start({ script, rules: { budget: { tokens: 1_000_000 } } });
  const rootId = await world.newRoot();
  begin?.(world);
  const { nodeId, runId } = await world.send(rootId, null, "hi");
  await reach(world, runId);
  expect(await world.runState(runId)).toBe(state);
  if (onCommit !== undefined) world.onCommit = onCommit;
  return { world, rootId, nodeId, runId };
}

async function say({ world, rootId, runId }: Played, deliver?: Delivery, text = "next") {
  const { headNodeId: parentNodeId } = must(await world.store.run(runId), "a run");
  return world.conversations.messages.send(world.ada, { rootId, parentNodeId, text, ...(deliver && { deliver }) });
}

/** Lets everything happen; people answer what the run waits for. */
async function finished({ world, runId }: Played, { goOn }: Place): Promise<void> {
  for (let left = 4; left > 0; left -= 1) {
    await world.rest();
    const { state } = must(await world.store.run(runId), "a run");
    if (isSettled(state)) return;
    await goOn?.(world, runId);
  }
}

async function branchOf(world: World, runId: RunId) {
  const { headNodeId } = must(await world.store.run(runId), "a run");
  const path = await world.store.path(must(headNodeId, "a head"));
  return { lines: path.map(lineOf), turns: new Set(path.map(({ turnId }) => turnId)).size };
}

const ways = ["steer", "queue", "interrupt"] as const;
const everywhere = Object.entries(places).flatMap(([name, place]) => ways.map((way) => [name, way, place] as const));

describe("a message to a run at work", () => {
  test.each(everywhere)("K-45 14.22 in %s, delivered as %s, goes where the table says", async (_name, way, place) => {
    const played = await play(place);
    accepted(await say(played, way));
    await finished(played, place);
    expect(await branchOf(played.world, played.runId)).toEqual(place.ends[way]);
    expect(await played.world.store.waiting(played.runId)).toEqual([]);
    expect(played.world.errors).toEqual([]);
  });

  test.each(Object.entries(places))("K-45 K-56 in %s, without a word, is answered as founded", async (_name, place) => {
    const played = await play(place);
    played.world.leases.leased.add(played.runId);
    expect(code(await say(played))).toBe(place.refuse);
    expect(played.world.tools.log).toContain("preempted");
  });

  test.each(everywhere)("K-45 in %s, delivered as %s, is there once after a kill", async (_name, way, place) => {
    for (const moment of ["before", "after"] as const) {
      const left: { image: MemoryImage; journal: Journal; toolLog: readonly string[] }[] = [];
      const keep = (world: World): void => {
        left.push({ image: world.store.image(), journal: world.journal.copy(), toolLog: [...world.tools.log] });
      };
      const played: Played = await play(place, () => {
        if (moment === "before") keep(played.world);
        return null;
      });
      accepted(await say(played, way));
      keep(played.world);
      const world = await World.start({ script: place.script, ...must(left[0], "what a kill leaves") });
      const again = { ...played, world };
      // A page sends its message again until it has the answer.
      if (moment === "before") accepted(await say(again, way));
      await finished(again, place);
      const nodes = await world.store.nodes(played.rootId);
      expect(nodes.map(lineOf).filter((line) => line === "user: next")).toHaveLength(1);
      expect(await brokenBranches(world, played.rootId)).toEqual([]);
      expect([await world.runState(played.runId), await world.store.waiting(played.runId)]).toEqual(["idle", []]);
    }
  });
});

/** A message that waits for the run, as stored. */
async function waitingIn({ world, runId }: Played) {
  return world.store.waiting(runId);
}

describe("14.22 messages that wait", () => {
  const streaming = must(places["streaming"], "a place");
  const inRound = must(places["running tools"], "a place");
  const ben = { type: "person", id: "ben" as ActorId, name: "Ben" } as const;

  test("K-44 steer a turn through its last reply: the run is not idle in between", async () => {
    const states: string[] = [];
    const played = await play(streaming);
    const { world, rootId, runId } = played;
    accepted(
      await world.conversations.watch(rootId, 0, {
        snapshot() {},
        deliver(records) {
          for (const { body } of records) if (body.type === "run-changed") states.push(body.state.type);
        },
      }),
    );
    accepted(await say(played, "steer"));
    await world.rest();
    expect(states.indexOf("idle")).toBe(states.length - 1);
    expect((await branchOf(world, runId)).turns).toBe(1);
  });

  test("K-46 of two people become three nodes in order; the model reads Ben's name, and later requests keep the prefix", async () => {
    const played = await play(inRound);
    const { world, rootId, runId } = played;
    const parentNodeId = must((await world.store.run(runId))?.headNodeId ?? null, "a head");
    for (const [actor, text] of [
      [world.ada, "first"],
      [ben, "second"],
      [world.ada, "third"],
    ] as const) {
      accepted(await world.conversations.messages.send(actor, { rootId, parentNodeId, text, deliver: "steer" }));
    }
    await world.rest();
    expect((await branchOf(world, runId)).lines.slice(-4)).toEqual([
      "user: first",
      "user: second",
      "user: third",
      "assistant: ok",
    ]);
    expect((await world.store.nodes(rootId)).slice(-4).map(({ actor }) => actor.name)).toEqual([
      "Ada",
      "Ben",
      "Ada",
      "Scripted",
    ]);
    const steered = must(world.requests.at(-1), "a request");
    expect(textOf(must(steered.messages.at(-1), "a message"))).toBe("first\n\n[Ben]\nsecond\n\nthird");
    accepted(await say(played));
    await world.rest();
    const later = must(world.requests.at(-1), "a request");
    expect(later.messages.slice(0, steered.messages.length)).toEqual(steered.messages);
    expect(later.system).toBe(steered.system);
  });

  test("K-47 are held by a stop, and nothing of them is sent; each is then sent in a turn of its own", async () => {
    const played = await play(streaming);
    const { world, runId } = played;
    for (const text of ["next", "and more"]) accepted(await say(played, "steer", text));
    accepted(await world.conversations.runs.cancel(world.ada, { runId, reason: "stopped" }));
    await world.rest();
    const held = await waitingIn(played);
    expect(held.map(({ state, version }) => [state, version])).toEqual([
      ["held", 2],
      ["held", 2],
    ]);
    expect(await world.runState(runId)).toBe("idle");
    expect(world.requests).toHaveLength(1);
    for (const { id, version } of held) {
      const change = { runId, id, version, state: "waiting", deliver: "queue" } as const;
      const sent = accepted(await world.conversations.waiting.change(world.ada, change));
      expect([sent.nodeId, (await world.store.node(id))?.id ?? null]).toContain(sent.nodeId);
    }
    await world.rest();
    expect(await branchOf(world, runId)).toEqual({
      lines: [
        "user: hi",
        "assistant: one (interrupted)",
        "user: next",
        "assistant: ok",
        "user: and more",
        "assistant: ok",
      ],
      turns: 3,
    });
  });

  test("are held by an error, and what arrives after a stop is sent on idle", async () => {
    const failing = await play({
      ...streaming,
      script: first([{ pauseMs: 1_000 }, ...fails({ ...brokenLine, retryable: false })]),
    });
    accepted(await say(failing, "queue"));
    await failing.world.rest();
    expect(await failing.world.runState(failing.runId)).toBe("error");
    expect((await waitingIn(failing)).map(({ state }) => state)).toEqual(["held"]);
    const stopping = await play(must(places["cancelling"], "a place"));
    accepted(await say(stopping, "queue"));
    await stopping.world.rest();
    expect((await branchOf(stopping.world, stopping.runId)).lines).toContain("user: next");
  });

  test("K-48 interrupt a tool in one transaction: synthetic results, then the message that begins the next turn; others wait on", async () => {
    const commits: (readonly string[])[] = [];
    const played: Played = await play(inRound, (writes) => {
      commits.push(writes.map(({ type }) => type));
      return null;
    });
    const { world, runId } = played;
    accepted(await say(played, "queue", "later"));
    commits.length = 0;
    const sent = accepted(await say(played, "interrupt"));
    expect(sent).toMatchObject({ queued: false, nodeId: expect.any(String), waitingId: null });
    expect(commits[0]?.filter((type) => type === "put-node")).toHaveLength(2);
    expect(world.tools.aborted).toEqual(["call-slow-a"]);
    expect((await waitingIn(played)).map(({ message, state }) => [textOf(message), state])).toEqual([
      ["later", "waiting"],
    ]);
    await world.rest();
    expect((await branchOf(world, runId)).lines.slice(2)).toEqual([
      "tool call-slow-a: cancelled",
      "user: next",
      "assistant: ok",
      "user: later",
      "assistant: ok",
    ]);
  });

  test("K-49 are not taken while somebody edits them, and those behind go on; a change that comes too late names the node", async () => {
    const played = await play(inRound);
    const { world, runId } = played;
    accepted(await say(played, "steer", "edited"));
    accepted(await say(played, "steer", "behind"));
    const [edited, behind] = await waitingIn(played);
    const { id } = must(edited, "a message");
    const change = (wish: object) => world.conversations.waiting.change(world.ada, { runId, id, version: 1, ...wish });
    accepted(await change({ state: "held" }));
    expect(code(await change({ text: "stale" }))).toBe("CONFLICT");
    await world.rest();
    expect((await branchOf(world, runId)).lines.slice(-2)).toEqual(["user: behind", "assistant: ok"]);
    const late = { runId, id: must(behind, "a message").id, version: 1 };
    const refused = await world.conversations.waiting.change(world.ada, { ...late, text: "too late" });
    expect(refused).toMatchObject({ error: { code: "MESSAGE_TAKEN", details: { node_id: late.id } } });
    expect(await world.conversations.waiting.withdraw(late)).toMatchObject({ error: { code: "MESSAGE_TAKEN" } });
    accepted(await change({ version: 2, text: "saved", state: "waiting" }));
    await world.rest();
    expect((await branchOf(world, runId)).lines.slice(-2)).toEqual(["user: saved", "assistant: ok"]);
  });

  test("K-50 withdrawn before every commit of a kill are withdrawn or taken, never both", async () => {
    const images: { image: MemoryImage; journal: Journal; toolLog: readonly string[] }[] = [];
    const played: Played = await play(inRound, () => {
      const { world } = played;
      images.push({ image: world.store.image(), journal: world.journal.copy(), toolLog: [...world.tools.log] });
      return null;
    });
    const { world, runId, rootId } = played;
    const { waitingId } = accepted(await say(played, "steer"));
    const id = must(waitingId, "it waits");
    expect(accepted(await world.conversations.waiting.withdraw({ runId, id, version: 1 }))).toEqual({ text: "next" });
    await world.rest();
    expect((await world.store.nodes(rootId)).map(lineOf)).not.toContain("user: next");
    for (const left of images) {
      const again = await World.start({ script: inRound.script, ...left });
      const withdrawn = again.conversations.waiting.withdraw({ runId, id, version: 1 });
      await again.rest();
      const answer = code(await withdrawn);
      const taken = (await again.store.nodes(rootId)).filter((node) => node.id === id).length;
      expect([answer, taken, await again.store.waiting(runId)]).toEqual([
        answer,
        answer === "MESSAGE_TAKEN" ? 1 : 0,
        [],
      ]);
    }
  });

  test("K-51 by HTTP's deliver in an approval leave it open; allowed, its result comes first", async () => {
    const place = must(places["awaiting an approval"], "a place");
    const played = await play(place);
    accepted(await say(played, "steer"));
    await played.world.rest();
    expect(await played.world.runState(played.runId)).toBe("awaiting-approval");
    await finished(played, place);
    expect(await branchOf(played.world, played.runId)).toEqual(round("out", "ok"));
  });

  test("K-52 while agents work wait for their result, and the parent takes them after it; the agent takes none", async () => {
    const place = must(places["awaiting agents"], "a place");
    const played = await play(place);
    accepted(await say(played, "steer"));
    expect(await waitingIn(played)).toHaveLength(1);
    await finished(played, place);
    expect(await branchOf(played.world, played.runId)).toEqual(round("spawn_sub_agents", "ok"));
    const ofAgents = played.world.requests.filter(isOfAgent).map(({ messages }) => JSON.stringify(messages));
    expect(ofAgents.length).toBeGreaterThan(0);
    expect(ofAgents.join()).not.toContain("next");
  });

  test("K-54 are at most 20, and 64,000 characters together; a refused one changes nothing", async () => {
    const played = await play(inRound);
    for (let at = 0; at < 20; at += 1) accepted(await say(played, at % 2 === 0 ? "steer" : "queue", `${at}`));
    expect(code(await say(played, "steer"))).toBe("QUEUE_FULL");
    expect(await waitingIn(played)).toHaveLength(20);
    const long = await play(inRound);
    accepted(await say(long, "queue", "x".repeat(40_000)));
    expect(code(await say(long, "queue", "x".repeat(24_001)))).toBe("QUEUE_FULL");
    expect(code(await say(long, "queue", "x".repeat(24_000)))).toBe("ok");
    const [message] = await waitingIn(long);
    const { id, version } = must(message, "a message");
    const grown = { runId: long.runId, id, version, text: "x".repeat(40_001) };
    expect(code(await long.world.conversations.waiting.change(long.world.ada, grown))).toBe("QUEUE_FULL");
  });

  test("can be moved, and each change is told in the feed", async () => {
    const played = await play(inRound);
    const { world, rootId, runId } = played;
    const told: (readonly string[])[] = [];
    accepted(
      await world.conversations.watch(rootId, accepted(await world.conversations.view(rootId)).seq, {
        snapshot() {},
        deliver(records) {
          for (const { body } of records) {
            if (body.type === "waiting-changed") told.push(body.waiting.map(({ message }) => textOf(message)));
          }
        },
      }),
    );
    for (const text of ["a", "b", "c"]) accepted(await say(played, "queue", text));
    const [a, , c] = (await waitingIn(played)).map(({ id }) => id);
    const move = { runId, id: must(c, "a message"), version: 1, before: must(a, "a message") };
    accepted(await world.conversations.waiting.change(world.ada, move));
    accepted(await world.conversations.waiting.change(ben, { ...move, version: 2, before: null }));
    expect(told).toEqual([["a"], ["a", "b"], ["a", "b", "c"], ["c", "a", "b"], ["a", "b", "c"]]);
    expect((await waitingIn(played)).map(({ message }) => textOf(message))).toEqual(["a", "b", "c"]);
  });

  test("become an interruption when somebody cannot wait", async () => {
    const played = await play(inRound);
    const { world, runId } = played;
    for (const text of ["a", "b"]) accepted(await say(played, "queue", text));
    const [, b] = await waitingIn(played);
    const change = { runId, id: must(b, "a message").id, version: 1, deliver: "interrupt" } as const;
    expect(accepted(await world.conversations.waiting.change(world.ada, change)).nodeId).toBe(change.id);
    await world.rest();
    expect((await branchOf(world, runId)).lines.slice(3)).toEqual([
      "user: b",
      "assistant: ok",
      "user: a",
      "assistant: ok",
    ]);
  });

  test("end no lease while they wait, and all of the conversation when they are taken", async () => {
    const played = await play(inRound);
    const { world, runId } = played;
    world.leases.leased.add(runId);
    accepted(await say(played, "steer"));
    expect(world.tools.log).not.toContain("preempted");
    await world.rest();
    expect(world.tools.log.filter((line) => line === "preempted")).toHaveLength(1);
  });

  test("are told within 20 ms of the last result", async () => {
    const played = await play(inRound);
    const { world, rootId } = played;
    const times = new Map<string, number>();
    accepted(
      await world.conversations.watch(rootId, 0, {
        snapshot() {},
        deliver(records) {
          for (const { body } of records)
            if (body.type === "node-added") times.set(lineOf(body.node), performance.now());
        },
      }),
    );
    accepted(await say(played, "steer"));
    await world.rest();
    const [result, message] = ["tool call-slow-a: ok", "user: next"].map((line) => must(times.get(line), line));
    expect(must(message, "a time") - must(result, "a time")).toBeLessThanOrEqual(20);
  });
});
