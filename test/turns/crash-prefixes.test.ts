import { expect, test } from "vitest";
import type { MemoryImage } from "../../src/adapters/storage/memory/tables.ts";
import { checkTranscript } from "../../src/core/message/transcript.ts";
import { isSettled } from "../../src/core/turn/step/precheck.ts";
import { lineOf, World, type Journal } from "../../src/host/conversation/queue/conversation.test-support.ts";
import { seededRandom } from "../../src/testing/seeded-random.ts";
import { requestOf, wires, type Wire } from "../providers/wires.ts";
import { scaled } from "../scale.ts";
import { everyRun, liveWith, scriptOf } from "./scripted-life.ts";

/** Everything that outlives a process, at the instant before a commit. */
interface CrashedRun {
  readonly image: MemoryImage;
  readonly journal: Journal;
  readonly toolLog: readonly string[];
}

const fourFormats = ["Claude 4.8", "openai", "Responses, gpt-5.4", "Gemini 3"].map((name): readonly [string, Wire] => {
  const wire = wires[name];
  if (wire === undefined) throw new Error(`there is no wire ${name}`);
  return [name, wire];
});

const conversations = scaled(10, 1_000);

test(
  `S-38 a crash at every persisted prefix of ${conversations} scripted conversations leaves a history that all four formats accept, no tool that ran twice, and no stuck run`,
  { timeout: conversations * 5_000 },
  async () => {
    const seen = new Map<string, number>();
    let prefixes = 0;
    for (let seed = 1; seed <= conversations; seed += 1) {
      const remains = await play(seed, seen);
      prefixes += remains.length;
      for (const [at, left] of remains.entries()) {
        const faults = await faultsAfter(left, seed);
        expect(faults, `conversation ${seed}, killed before commit ${at}`).toEqual([]);
      }
    }
    expect(prefixes).toBeGreaterThan(conversations * 10);
    // A state that no run reached has not been tested.
    for (const type of ["running-tools", "awaiting-approval", "awaiting-answer", "awaiting-sub-agents", "requesting"]) {
      expect([type, seen.get(type) ?? 0]).toSatisfy(([, times]) => times > 0);
    }
  },
);

/** Plays one conversation to its end, and returns what a crash before each commit would have left. */
async function play(seed: number, seen: Map<string, number>): Promise<readonly CrashedRun[]> {
  const random = seededRandom(seed);
  const world = await World.start({ script: scriptOf(seed) });
  const rootId = await world.newRoot();
  const remains: CrashedRun[] = [];
  world.onCommit = (writes) => {
    const { store, journal, tools } = world;
    remains.push({ image: store.image(), journal: journal.copy(), toolLog: [...tools.log] });
    for (const write of writes) {
      if (write.type === "put-run") seen.set(write.run.state.type, (seen.get(write.run.state.type) ?? 0) + 1);
    }
    return null;
  };
  const { runId } = await world.send(rootId, null, `Do what ${seed} asks for.`);
  if (random.oneIn(4)) {
    await world.clock.advance(random.below(3_000));
    await world.conversations.runs.cancel(world.ada, { runId, reason: "stopped" });
  }
  expect(await liveWith(world, seed, 400)).toBe(true);
  await world.conversations.close();
  return remains;
}

/** Restarts from what was left, waits until everything is idle, and returns the faults of the result. */
async function faultsAfter({ image, journal, toolLog }: CrashedRun, seed: number): Promise<readonly string[]> {
  const world = await World.start({ image, journal: journal.copy(), toolLog, script: scriptOf(seed) });
  const faults: string[] = [];
  if (!(await liveWith(world, seed, 400))) faults.push("it is stuck");
  for (const { id } of await world.store.roots()) faults.push(...(await faultsOfHistory(world, id)));
  for (const run of await everyRun(world)) {
    if (!isSettled(run.state)) faults.push(`${run.id} does not rest but is ${run.state.type}`);
    if ((await world.store.effects(run.id)).length > 0) faults.push(`${run.id} left effects`);
  }
  const times = Map.groupBy(world.tools.log, (entry) => entry);
  for (const [entry, all] of times) {
    if (entry.startsWith("ran call-") && !entry.startsWith("ran call-safe") && all.length > 1)
      faults.push(`${entry} ${all.length} times`);
  }
  // One of the tools fails on purpose.
  faults.push(...world.errors.filter((error) => error !== "tool-broke"));
  await world.conversations.close();
  return faults;
}

async function faultsOfHistory(
  world: World,
  rootId: Parameters<World["store"]["nodes"]>[0],
): Promise<readonly string[]> {
  const nodes = await world.store.nodes(rootId);
  const parents = new Set(nodes.map(({ parentId }) => parentId));
  const faults: string[] = [];
  for (const leaf of nodes.filter(({ id }) => !parents.has(id))) {
    const path = await world.store.path(leaf.id);
    const messages = path.map(({ message }) => message);
    const whole = checkTranscript(messages);
    if (!whole.ok) faults.push(`${path.map(lineOf).join(" | ")}: ${whole.error.code}`);
    for (const [name, wire] of whole.ok ? fourFormats : []) {
      const fault = wire.fault(wire.encode(requestOf(messages)));
      if (fault !== null) faults.push(`${name} refuses ${path.map(lineOf).join(" | ")}: ${JSON.stringify(fault)}`);
    }
  }
  return faults;
}
