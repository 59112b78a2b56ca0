import { isDeepStrictEqual } from "node:util";
import { expect, test } from "vitest";
import { StoreAwayError } from "../../adapters/storage/shared/store-error.ts";
import type { MemoryImage } from "../../adapters/storage/memory/tables.ts";
import type { NodeId, RootId } from "../../core/base/ids.ts";
import type { CallPolicy } from "../../core/forest/run-rules.ts";
import type { ForestNode } from "../../core/forest/types.ts";
import { withRecord, withSnapshot } from "../../client/watch/conversation-view.ts";
import type { ConversationView as ClientView } from "../../client/base/types.ts";
import { prefixHash } from "../../core/forest/prefix-hash.ts";
import { textOf } from "../../core/message/content.ts";
import { noUsage } from "../../core/message/usage.ts";
import type { RunRecord } from "../../core/port/store.ts";
import type { RememberedFor } from "../../core/turn/state/approval.ts";
import type { FeedRecord } from "../../core/turn/state/feed.ts";
import { toldFeed } from "./queue/told-feed.test-support.ts";
import { deliveries, type Delivery } from "../../core/turn/state/waiting.ts";
import { isSettled } from "../../core/turn/step/precheck.ts";
import { seededRandom, type SeededRandom } from "../../testing/seeded-random.ts";
import {
  brokenBranches,
  brokenLine,
  calls,
  fails,
  otherInfo,
  says,
  World,
  type Journal,
  type Script,
  type ScriptStep,
} from "./queue/conversation.test-support.ts";

/** What one moment leaves behind, and what had been promised by then. */
interface Instant {
  readonly image: MemoryImage;
  readonly journal: Journal;
  readonly toolLog: readonly string[];
  readonly promised: readonly NodeId[];
}

interface Report {
  readonly crashes: number;
  readonly toolRuns: number;
  readonly nodes: number;
  readonly faults: readonly string[];
}

/**
 * Simulates people, models, tools and crashes from a seed, and returns the broken promises. A hard run adds sub-agents,
 * and a store that is full or away at times.
 */
async function live(seed: number, steps: number, hard = false): Promise<Report> {
  const random = seededRandom(seed);
  const troubles = seededRandom(seed + 1_000_000);
  const script = hard ? withAgents(randomScript(random), troubles) : randomScript(random);
  let troubled = false;
  const promised: NodeId[] = [];
  let fatal: Instant | null = null;
  let crashes = 0;

  const instantOf = ({ store, journal, tools }: World): Instant => {
    return { image: store.image(), journal: journal.copy(), toolLog: [...tools.log], promised: [...promised] };
  };
  const withdrawn = new Set<NodeId>();
  const begin = async (from: Instant | null): Promise<World> => {
    const started = await World.start({
      script,
      start: crashes + 1,
      ...(from === null ? {} : { image: from.image, journal: from.journal, toolLog: from.toolLog }),
    });
    // A crash strikes before a commit; what the process does until it notices never happened.
    started.onCommit = () => {
      if (fatal === null && random.oneIn(60)) fatal = instantOf(started);
      if (troubled && troubles.oneIn(30)) throw new StoreAwayError("the database is away");
      return troubled && troubles.oneIn(30) ? "STORE_FULL" : null;
    };
    started.onRead = () => {
      if (troubled && troubles.oneIn(40)) throw new StoreAwayError("the database is away");
    };
    return started;
  };

  let world = await begin(null);
  const rootId = await world.newRoot();
  const told = new Map<number, FeedRecord>();
  troubled = hard;
  for (let step = 0; step < steps; step += 1) {
    const acting = world;
    await listen(acting, rootId, told);
    const sent = act({ world: acting, withdrawn }, rootId, random).catch((problem: unknown) => {
      if (problem instanceof StoreAwayError) return null;
      throw problem;
    });
    await acting.clock.advance(random.pick([0, 1, 50, 150, 1_000]));
    if (fatal === null) {
      const nodeId = await Promise.race([sent, acting.clock.settle().then(() => null)]);
      if (nodeId !== null && fatal === null) promised.push(nodeId);
      if (fatal === null && !random.oneIn(30)) continue;
    }
    crashes += 1;
    const from: Instant = fatal ?? instantOf(acting);
    fatal = null;
    promised.splice(0, promised.length, ...from.promised);
    world = await begin(from);
  }
  world.onCommit = () => null;
  troubled = false;
  await restListening(world, rootId, told);
  // A wait for a person has no limit here; eventually someone declines.
  for (let left = 200; left > 0; left -= 1) {
    const waiting = (await world.store.runs(rootId)).filter(({ state }) => !isSettled(state));
    if (waiting.length === 0) break;
    for (const run of waiting) await world.conversations.runs.cancel(world.ada, { runId: run.id, reason: "stopped" });
    await restListening(world, rootId, told);
  }
  const last = await world.store.feedSeq(rootId);
  const feed = Array.from({ length: last }, (_, at) => told.get(at + 1)).filter((record) => record !== undefined);
  return { crashes, ...(await reckoning(world, rootId, { feed, promised, withdrawn, hard })) };
}

/** Notes the feed, of which the store keeps the newest entries. What a crash undid is followed by what came instead. */
async function listen({ store }: World, rootId: RootId, told: Map<number, FeedRecord>): Promise<void> {
  for (const record of await toldFeed(store, rootId)) told.set(record.seq, record);
}

/** Lets everything go on until nothing does; the store keeps fewer entries of the feed than that may make. */
async function restListening(world: World, rootId: RootId, told: Map<number, FeedRecord>): Promise<void> {
  await world.clock.settle();
  await listen(world, rootId, told);
  for (let rounds = 0; world.clock.timers > 0 && rounds < 100; rounds += 1) {
    await world.clock.advance(1_000);
    await listen(world, rootId, told);
  }
}

/** A server under test, and the messages that somebody tried to withdraw. */
interface Played {
  readonly world: World;
  readonly withdrawn: Set<NodeId>;
}

function deliveryOf(random: SeededRandom): Delivery {
  return random.pick(deliveries);
}

/** Performs one act of a person; returns the node of an accepted message. */
async function act({ world, withdrawn }: Played, rootId: RootId, random: SeededRandom): Promise<NodeId | null> {
  const { conversations, ada } = world;
  const nodes = await world.store.nodes(rootId);
  const runs = await world.store.runs(rootId);
  const node = nodes[random.below(nodes.length)];
  const run = runs[random.below(runs.length)];
  switch (random.below(22)) {
    case 0:
    case 1: {
      const text = `new ${random.below(1_000)}`;
      const parentNodeId = random.oneIn(2) ? null : (node?.id ?? null);
      const sent = await conversations.messages.send(ada, { rootId, parentNodeId, text, deliver: deliveryOf(random) });
      return sent.ok ? (sent.value.nodeId ?? sent.value.waitingId) : null;
    }
    case 2:
    case 3: {
      const parentNodeId = run?.headNodeId ?? null;
      const text = `next ${random.below(1_000)}`;
      const sent = await conversations.messages.send(ada, { rootId, parentNodeId, text, deliver: deliveryOf(random) });
      return sent.ok ? (sent.value.nodeId ?? sent.value.waitingId) : null;
    }
    case 4:
      if (run !== undefined) await conversations.runs.cancel(ada, { runId: run.id, reason: "stopped" });
      return null;
    case 5:
      if (run !== undefined) await conversations.runs.retry(ada, { runId: run.id });
      return null;
    case 6: {
      if (node === undefined) return null;
      const edited = await conversations.messages.edit(ada, { nodeId: node.id, text: `edited ${random.below(1_000)}` });
      return edited.ok ? edited.value.nodeId : null;
    }
    case 7:
      if (node !== undefined) {
        const n = random.pick([1, 1, 2, 3]);
        await conversations.messages.regenerate(ada, {
          nodeId: node.id,
          n,
          ...(random.oneIn(3) && { model: otherInfo.id }),
        });
      }
      return null;
    case 8:
      if (node !== undefined) await conversations.messages.split({ nodeId: node.id, at: 1 + random.below(6) });
      return null;
    case 9:
    case 10: {
      if (node === undefined) return null;
      const text = random.pick(["some other words", "ne", `${textOf(node.message)} and more`, "x"]);
      await conversations.messages.rewrite(ada, { nodeId: node.id, content: [{ type: "text", text }] });
      return null;
    }
    case 11:
      if (node !== undefined && random.oneIn(3)) {
        const reparent = random.pick([false, true, true]);
        await conversations.messages.delete({ nodeId: node.id, reparent, force: random.oneIn(2) });
      }
      return null;
    case 12:
      if (node !== undefined) await conversations.messages.label({ nodeId: node.id, tags: [`t${random.below(3)}`] });
      return null;
    case 13: {
      const title = `mark ${random.below(4)}`;
      if (random.oneIn(3)) await conversations.bookmarks.remove(title);
      else await conversations.bookmarks.put({ title, rootId, nodeId: node?.id ?? null });
      return null;
    }
    case 14:
      if (run !== undefined) await conversations.runs.summarize(ada, { runId: run.id });
      return null;
    case 15:
      if (run !== undefined) await conversations.runs.continue({ runId: run.id });
      return null;
    case 16: {
      const callPolicy = random.pick<CallPolicy | null>(["parallel", "parallel", "serial-one", "serial-all", null]);
      await conversations.setRules({ rootId, callPolicy });
      return null;
    }
    case 17:
    case 18:
      for (const each of runs) await answerWhatWaits(world, each, random);
      return null;
    case 19:
      if (run !== undefined) await handleWaiting({ world, withdrawn }, run, random);
      return null;
    default:
      return null;
  }
}

/** Edits, holds, releases, moves, redirects or withdraws a message that waits for a run. */
async function handleWaiting(
  { world, withdrawn }: Played,
  { id: runId }: RunRecord,
  random: SeededRandom,
): Promise<void> {
  const { conversations, ada, store } = world;
  const waiting = await store.waiting(runId);
  const message = waiting[random.below(waiting.length)];
  if (message === undefined) return;
  const { id } = message;
  const version = message.version + (random.oneIn(8) ? 1 : 0);
  if (random.oneIn(4)) {
    // From its sending on, the message may be gone.
    withdrawn.add(id);
    await conversations.waiting.withdraw({ runId, id, version });
    return;
  }
  await conversations.waiting.change(ada, {
    runId,
    id,
    version,
    ...(random.oneIn(2) ? { text: `changed ${random.below(1_000)}` } : {}),
    ...(random.oneIn(3) ? { deliver: random.pick(["steer", "queue", "interrupt"] as const) } : {}),
    ...(random.oneIn(2) ? { state: random.pick(["waiting", "held"] as const) } : {}),
    ...(random.oneIn(3) ? { before: random.pick([null, ...waiting.map((each) => each.id)]) } : {}),
  });
}

/** Answers what a run waits for, sometimes twice: the second answer must change nothing. */
async function answerWhatWaits({ conversations, ada }: World, run: RunRecord, random: SeededRandom): Promise<void> {
  const { state, id: runId } = run;
  for (let times = random.pick([1, 1, 2]); times > 0; times -= 1) {
    if (state.type === "awaiting-approval") {
      const { callId, argumentsHash } = state.request;
      const decision = random.oneIn(3) ? "deny" : "allow";
      const remember = random.pick<RememberedFor>(["once", "once", "conversation", "always"]);
      await conversations.approvals.answer(ada, { runId, callId, argumentsHash, decision, remember });
    }
    if (state.type === "awaiting-answer") {
      const answers = random.oneIn(3) ? null : [{ chosen: ["a"] }];
      await conversations.runs.answerQuestion(ada, { runId, callId: state.callId, answers });
    }
  }
}

const question = JSON.stringify({ questions: [{ question: "Which?", options: [{ label: "a" }, { label: "b" }] }] });

function asks(index: number, id: string): readonly ScriptStep[] {
  return [
    { type: "tool-call-start", index, id, name: "ask_user" },
    { type: "tool-call-delta", index, text: question },
    { type: "tool-call-end", index },
  ];
}

function randomScript(random: SeededRandom): Script {
  let call = 0;
  const name = (): string =>
    `${random.pick(["slow", "fail", "safe", "break", "quick", "out", "out-private-untrusted"])}-${(call += 1)}`;
  const pause = (): ScriptStep => ({ pauseMs: random.pick([1, 40, 400]), deaf: random.oneIn(6) });
  return () => {
    const shown: readonly ScriptStep[] = [
      { type: "text-start", index: 0 },
      { type: "text-delta", index: 0, text: "some words" },
      pause(),
    ];
    switch (random.below(10)) {
      case 0:
      case 1:
        return calls(...Array.from({ length: 1 + random.below(4) }, name));
      case 2:
        return [...shown, ...fails(brokenLine)];
      case 3:
        return fails(random.oneIn(2) ? brokenLine : { class: "auth", message: "No.", retryable: false });
      case 4:
        return says();
      case 5:
        return [...shown, pause()];
      case 6: {
        const made = calls(...Array.from({ length: random.below(3) }, name));
        return [...made.slice(0, -1), ...asks(9, `ask-${(call += 1)}`), ...made.slice(-1)];
      }
      case 7: {
        const usage = { ...noUsage, inputTokens: random.pick([85_000, 95_000]), outputTokens: 10 };
        const made = random.oneIn(2) ? says("long") : calls(name());
        return made.map((step) => ("type" in step && step.type === "finished" ? { ...step, usage } : step));
      }
      default:
        return [...shown, ...says().slice(1)];
    }
  };
}

/** The same script, but it sometimes starts sub-agents. */
function withAgents(script: Script, random: SeededRandom): Script {
  let call = 0;
  return (request, turn) => {
    if (!random.oneIn(6)) return script(request, turn);
    const tasks = Array.from({ length: random.below(4) }, (_, at) => ({
      task: "look",
      time_limit_seconds: 1 + at * 3,
    }));
    return [
      { type: "tool-call-start", index: 0, id: `agents-${(call += 1)}`, name: "spawn_sub_agents" },
      { type: "tool-call-delta", index: 0, text: JSON.stringify({ tasks }) },
      { type: "tool-call-end", index: 0 },
      { type: "finished", reason: "tool-use", usage: noUsage },
    ];
  };
}

/** What is compared with the store at the end. */
interface Reckoned {
  /** Every entry of the conversation's feed. */
  readonly feed: readonly FeedRecord[];
  readonly promised: readonly NodeId[];
  readonly withdrawn: ReadonlySet<NodeId>;
  readonly hard: boolean;
}

async function reckoning(
  world: World,
  rootId: RootId,
  { feed, promised, withdrawn, hard }: Reckoned,
): Promise<Omit<Report, "crashes">> {
  const deleted = new Set(feed.flatMap(({ body }) => (body.type === "nodes-removed" ? body.ids : [])));
  const faults: string[] = [
    // Deleting a result leaves its call open until the result is there again.
    ...(await brokenBranches(world, rootId, { openEnds: deleted.size > 0 })),
    ...world.errors.filter((event) => event !== "tool-broke" && !(hard && expectedWarnings.has(event))),
    ...(await faultsOfAgents(world)),
  ];
  const nodes = await world.store.nodes(rootId);
  const ids = new Set(nodes.map((node) => node.id));
  const runs = await world.store.runs(rootId);
  const waits = new Set((await Promise.all(runs.map(({ id }) => world.store.waiting(id)))).flat().map(({ id }) => id));
  for (const id of waits) if (ids.has(id) || deleted.has(id)) faults.push(`${id} waits and was taken`);
  for (const nodeId of promised) {
    const isSomewhere = ids.has(nodeId) || deleted.has(nodeId) || waits.has(nodeId) || withdrawn.has(nodeId);
    if (!isSomewhere) faults.push(`${nodeId} was accepted and is missing`);
  }
  for (const run of await world.store.runs(rootId)) {
    if (!isSettled(run.state)) faults.push(`${run.id} stays in ${run.state.type}`);
    const waiting = await world.store.waiting(run.id);
    const left = isSettled(run.state) && waiting.some(({ state }) => state === "waiting");
    if (left) faults.push(`${run.id} is ${run.state.type} with a message that waits for it`);
    if ((await world.store.effects(run.id)).length > 0) faults.push(`${run.id} left effects`);
  }
  if (feed.some((record, at) => record.seq !== at + 1)) faults.push("the feed has a gap");
  const seen = await world.conversations.view(rootId);
  // A crash may have come before the conversation itself was on disk.
  const view = seen.ok ? seen.value : { runs: [], waiting: [], bookmarks: [] };
  const heard = viewOfFeed(feed);
  if (!isDeepStrictEqual(withHashes(heard.nodesById), nodes))
    faults.push("the feed describes another tree than the stored one");
  if (!isDeepStrictEqual(heard.bookmarks, view.bookmarks))
    faults.push("the feed describes other bookmarks than the stored ones");
  for (const node of nodes) {
    const above = node.parentId === null ? null : (nodes.find(({ id }) => id === node.parentId)?.prefixHash ?? null);
    if (node.prefixHash !== prefixHash(above, node.message)) faults.push(`${node.id} has a wrong hash`);
  }
  for (const run of view.runs) {
    const stored = (await world.store.run(run.runId))?.headNodeId ?? null;
    if (run.headNodeId !== stored) faults.push(`${run.runId} has another head than the store`);
    if (stored !== null && !ids.has(stored)) faults.push(`${run.runId} has a head that does not exist`);
  }
  for (const run of await world.store.runs(rootId)) {
    const events = await world.store.runEvents(run.id);
    if (events.some((event, at) => at > 0 && event.seq <= (events[at - 1]?.seq ?? 0)))
      faults.push("events out of order");
    const last = events.at(-1)?.state.type;
    if (last !== undefined && last !== run.state.type)
      faults.push(`${run.id} is ${run.state.type}, its events say ${last}`);
  }
  const ran = world.tools.log.filter((entry) => entry.startsWith("ran ") && !entry.includes("safe"));
  if (new Set(ran).size < ran.length) faults.push("a tool ran twice");
  const running = [...world.journal.shownById.values()].filter((block) => block.status === "running");
  if (running.length > 0) faults.push(`${running.length} live blocks run on`);
  return { toolRuns: ran.length, nodes: nodes.length, faults };
}

/** Log events that are expected while the store is full or away. */
const expectedWarnings: ReadonlySet<string> = new Set([
  "event-refused",
  "event-failed",
  "intent-not-stored",
  "heads-not-read",
  "live-block-not-told",
  "conversation-not-recovered",
]);

async function faultsOfAgents(world: World): Promise<readonly string[]> {
  const faults: string[] = [];
  for (const { id, parent } of await world.store.roots()) {
    if (parent === undefined) continue;
    faults.push(...(await brokenBranches(world, id)));
    for (const run of await world.store.runs(id)) {
      if (!isSettled(run.state)) faults.push(`the sub-agent ${run.id} stays in ${run.state.type}`);
      if ((await world.store.effects(run.id)).length > 0) faults.push(`the sub-agent ${run.id} left effects`);
    }
  }
  return faults;
}

/**
 * Returns the nodes with hashes computed by a watcher: a changed hash changes all hashes below it, and the feed does
 * not list these.
 */
function withHashes(nodesById: ReadonlyMap<NodeId, ForestNode>): readonly ForestNode[] {
  const hashesById = new Map<NodeId, string>();
  const hashOf = ({ id, parentId, message }: ForestNode): string => {
    const parent = parentId === null ? undefined : nodesById.get(parentId);
    const hash = hashesById.get(id) ?? prefixHash(parent === undefined ? null : hashOf(parent), message);
    hashesById.set(id, hash);
    return hash;
  };
  return Array.from(nodesById.values(), (node) => ({ ...node, prefixHash: hashOf(node) }));
}

/** Returns the conversation of a watcher that received everything from the start. */
function viewOfFeed(feed: readonly FeedRecord[]): Pick<ClientView, "nodesById" | "bookmarks"> {
  const [first] = feed;
  if (first === undefined) return { nodesById: new Map(), bookmarks: [] };
  const empty = { seq: 0, root: undefined as never, nodes: [], runs: [], waiting: [], bookmarks: [] };
  let state = withSnapshot(null, { type: "conversation-snapshot", rootId: first.rootId, ...empty });
  for (const record of feed) state = withRecord(state, record) ?? state;
  return state.view;
}

test("R1 R4 R5 whatever people, models and crashes do, a conversation stays whole and nothing is lost or done twice", async () => {
  const total = { crashes: 0, toolRuns: 0, nodes: 0 };
  for (let seed = 1; seed <= 150; seed += 1) {
    const { faults, ...report } = await live(seed, 40);
    expect(faults, `seed ${seed}`).toEqual([]);
    total.crashes += report.crashes;
    total.toolRuns += report.toolRuns;
    total.nodes += report.nodes;
  }
  // The simulations had enough events to mean something.
  expect(total.crashes).toBeGreaterThan(150);
  expect(total.toolRuns).toBeGreaterThan(500);
  expect(total.nodes).toBeGreaterThan(4_500);
});

test("R9 the same holds while the store is full or away at times, and with sub-agents", async () => {
  for (let seed = 1; seed <= 60; seed += 1) {
    const { faults } = await live(seed, 40, true);
    expect(faults, `seed ${seed}`).toEqual([]);
  }
});
