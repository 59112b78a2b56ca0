import { setTimeout as delay } from "node:timers/promises";
import type { BlockId } from "../../src/core/base/ids.ts";
import { dataDirectoryAt } from "../../src/host/data/data-directory.ts";
import { tableSizes, type TableSize } from "../../src/testing/store/table-sizes.ts";
import { Api } from "../e2e/api.ts";
import { startServerProcess, temporaryDirectory, type ServerProcess } from "../e2e/server-process.ts";
import { integrityOf } from "../process/stored-workspace.ts";
import { startAuthors, type Turns } from "./authors.ts";
import { soakBounds } from "./bounds.ts";
import { collectable, collectGarbage } from "./collect-garbage.ts";
import { explain, stuckIn, type Growth, type Happened, type Stuck } from "./growth.ts";
import { people, type Visits } from "./people.ts";
import { Places } from "./places.ts";
import { useOf, type Use } from "./process-use.ts";

export interface SoakWish {
  /** How long without kills. */
  readonly calmSeconds: number;
  /** How many kills come after that, and how many seconds each server lives. */
  readonly kills: number;
  readonly killEvery: number;
  readonly people: number;
  readonly agents: number;
  readonly staySeconds: number;
  readonly sampleEvery: number;
  readonly seed: number;
  /** Further environment of the server, for example to look into its heap. */
  readonly env?: Readonly<Record<string, string>>;
  readonly log: (line: string) => void;
}

export interface SoakReport {
  readonly seconds: number;
  /** Of the half without kills, once a minute, after a collection of all garbage. */
  readonly calm: readonly Use[];
  /** Right before each kill, after a collection. */
  readonly beforeKills: readonly Use[];
  /** Descriptors before the load and after everybody has left, with all threads at work. */
  readonly descriptors: readonly { readonly before: number; readonly after: number }[];
  readonly edits: number;
  readonly visits: number;
  readonly turns: number;
  readonly conversations: number;
  readonly kills: number;
  readonly tokens: number;
  /** Acknowledged words that are not in their text exactly once. */
  readonly acknowledged: number;
  readonly lost: readonly string[];
  readonly failures: readonly string[];
  readonly stuck: Stuck;
  readonly growth: Growth;
  readonly databaseMb: number;
  readonly integrity: string;
}

/** A server under its load, and what was noted of it. */
interface Soaked {
  server: ServerProcess;
  /** The server's descriptors when nobody is there, with all its threads. */
  alone: number;
  readonly folder: string;
  readonly places: Places;
  readonly visits: Visits;
  readonly turns: Turns;
  readonly calm: Use[];
  readonly beforeKills: Use[];
  readonly descriptors: { readonly before: number; readonly after: number }[];
  /** Seconds since the soak began. */
  readonly now: () => number;
}

/** How often the server collects its garbage before its memory is noted. */
const collectEverySeconds = 50;

/** Runs a server under its load, first without kills and then with them, and looks at what it held, lost and left behind. */
export async function soak(wish: SoakWish): Promise<SoakReport> {
  const data = await temporaryDirectory();
  const server = await startServerProcess({ dataDirectory: data.path, env: envOf(wish) });
  const began = performance.now();
  const now = (): number => (performance.now() - began) / 1_000;
  const soaked: Soaked = {
    server,
    alone: 0,
    folder: data.path,
    places: new Places(),
    visits: { visits: 0, edits: 0, acknowledged: new Map(), failures: [] },
    turns: { turns: 0, conversations: 0, stuck: [] },
    calm: [],
    beforeKills: [],
    descriptors: [],
    now,
  };
  try {
    await visitors(soaked, wish);
    const before = tableSizes(dataDirectoryAt(data.path).database);
    await underLoad(soaked, wish, () => sample(soaked, wish));
    await underLoad(soaked, wish, () => killAndStart(soaked, wish));
    return await reportOf(soaked, before);
  } finally {
    await soaked.server.kill();
    await data.remove();
  }
}

function envOf({ env }: SoakWish): Readonly<Record<string, string>> {
  return { HEDDLE_NO_BUILD: "1", ...collectable, ...env };
}

/** Lets two people in and out, for whom a server starts its reading threads, and counts its descriptors after that. */
async function visitors(soaked: Soaked, { seed }: SoakWish): Promise<void> {
  const { server, places, visits, turns, now } = soaked;
  const wish = { server: { url: server.origin, token: server.token }, places, seed, count: 2 };
  await (
    await startAuthors({ ...wish, signal: AbortSignal.abort() }, turns)
  ).ended;
  await people({ ...wish, staySeconds: 2, signal: AbortSignal.timeout(3_000) }, visits);
  await delay(1_000);
  soaked.alone = (await useOf(server, now())).descriptors;
}

/** Does something to the server while people and agents are there; they leave when it is done. */
async function underLoad(soaked: Soaked, wish: SoakWish, act: () => Promise<void>): Promise<void> {
  const { server, places, visits, turns, now } = soaked;
  const leaving = new AbortController();
  const to = { url: server.origin, token: server.token };
  const shared = { server: to, places, signal: leaving.signal, seed: wish.seed };
  const authors = await startAuthors({ ...shared, count: wish.agents }, turns);
  const everybody = people({ ...shared, count: wish.people, staySeconds: wish.staySeconds }, visits);
  // When the act fails, perhaps because the server is gone, nobody is waited for: they would wait for the server.
  try {
    await act();
  } finally {
    leaving.abort();
  }
  await Promise.all([everybody, authors.ended]);
  const { alone } = soaked;
  soaked.descriptors.push({ before: alone, after: await settledDescriptors(soaked.server, now, alone) });
}

async function sample({ server, calm, now }: Soaked, { calmSeconds, sampleEvery, log }: SoakWish): Promise<void> {
  let collectedAt = now();
  for (const end = now() + calmSeconds; now() < end;) {
    await delay(sampleEvery * 1_000);
    const isDue = now() - collectedAt >= collectEverySeconds || calmSeconds < collectEverySeconds;
    if (isDue) {
      await collectGarbage(server);
      collectedAt = now();
    }
    const use = await useOf(server, now());
    if (isDue) calm.push(use);
    log(lineOf(use, isDue ? "no kills, after a collection" : "no kills"));
  }
}

/** Kills the server again and again, and starts it on the same data and port. */
async function killAndStart(soaked: Soaked, wish: SoakWish): Promise<void> {
  const { folder, beforeKills, now } = soaked;
  for (let kill = 1; kill <= wish.kills; kill += 1) {
    await delay(wish.killEvery * 1_000);
    await collectGarbage(soaked.server);
    const use = await useOf(soaked.server, now());
    beforeKills.push(use);
    await soaked.server.kill();
    wish.log(lineOf(use, `kill ${kill} of ${wish.kills}`));
    const { port } = soaked.server;
    soaked.server = await startServerProcess({ dataDirectory: folder, port, env: envOf(wish) });
  }
  await delay((wish.killEvery / 2) * 1_000);
}

/** Stops the server, which everybody has left, and looks at what it leaves. */
async function reportOf(soaked: Soaked, before: ReadonlyMap<string, TableSize>): Promise<SoakReport> {
  const { server, folder, visits, turns, calm, beforeKills, descriptors, now } = soaked;
  const last = await useOf(server, now());
  const lost = await lostOf(visits.acknowledged, new Api(server));
  const code = await server.stop();
  const after = tableSizes(dataDirectoryAt(folder).database);
  const happened: Happened = {
    edits: visits.edits,
    visits: visits.visits,
    turns: turns.turns,
    conversations: turns.conversations,
  };
  return {
    ...happened,
    seconds: now(),
    calm,
    beforeKills,
    descriptors,
    kills: beforeKills.length,
    tokens: [...beforeKills, last].reduce((sum, use) => sum + use.tokens, 0),
    acknowledged: visits.acknowledged.size,
    lost,
    failures: [...visits.failures, ...turns.stuck, ...(code === 0 ? [] : [`the server ended with ${code}`])],
    stuck: stuckIn(folder),
    growth: explain(before, after, happened),
    databaseMb: [...after.values()].reduce((sum, { bytes }) => sum + bytes, 0) / 2 ** 20,
    integrity: integrityOf(folder),
  };
}

function lineOf({ at, rssMb, heapMb, descriptors, tokens }: Use, what: string): string {
  return `${at.toFixed(0).padStart(5)} s  memory ${rssMb.toFixed(0)} MB, heap ${heapMb.toFixed(0)} MB, descriptors ${descriptors}, tokens ${tokens}  ${what}`;
}

/** Waits until a server that everybody has left has closed what was theirs, at most 20 s; returns its descriptors. */
async function settledDescriptors(server: ServerProcess, now: () => number, alone: number): Promise<number> {
  for (let waited = 0; ; waited += 1) {
    const { descriptors } = await useOf(server, now());
    if (descriptors <= alone + soakBounds.descriptors || waited >= 20) return descriptors;
    await delay(1_000);
  }
}

/** Returns the acknowledged words that are not in their text exactly once. */
async function lostOf(acknowledged: ReadonlyMap<string, BlockId>, api: Api): Promise<readonly string[]> {
  const wordsByCanvas = new Map<BlockId, string[]>();
  for (const [word, canvasId] of acknowledged) {
    const words = wordsByCanvas.get(canvasId);
    if (words === undefined) wordsByCanvas.set(canvasId, [word]);
    else words.push(word);
  }
  const lost: string[] = [];
  for (const [canvasId, words] of wordsByCanvas) {
    const timesByWord = new Map<string, number>();
    for (const [word] of (await api.textOf(canvasId)).matchAll(/\bp\d+w\d+q\b/g)) {
      timesByWord.set(word, (timesByWord.get(word) ?? 0) + 1);
    }
    lost.push(...words.filter((word) => timesByWord.get(word) !== 1));
  }
  return lost;
}
