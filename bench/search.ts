import { setTimeout as wait } from "node:timers/promises";
import { Worker } from "node:worker_threads";
import { buildCatalogue } from "../src/adapters/providers/catalogue.ts";
import { openMemoryStore } from "../src/adapters/storage/memory/open-memory-store.ts";
import type { PersonActor } from "../src/core/base/actor.ts";
import { assert, must } from "../src/core/base/assert.ts";
import type { ActorId, BlockId, DocumentId } from "../src/core/base/ids.ts";
import { isJsonObject, type JsonObject } from "../src/core/base/json.ts";
import { paceOf } from "../src/host/base/pace.ts";
import { systemPlatform } from "../src/adapters/platform/system-platform.ts";
import { openWorkspace, type Workspace } from "../src/host/workspace/workspace.ts";
import { seededRandom, type SeededRandom } from "../src/testing/seeded-random.ts";
import { atMost, noGoal, type Bench, type BenchRow } from "./harness/bench.ts";
import { median } from "./harness/interleave.ts";

const blockCount = 5_000;
const unitsOfBlock = 20_000;
const person: PersonActor = { type: "person", id: "bench" as ActorId, name: "Bench" };

/** The queries: rare and common words, with and without required letters. */
const patterns = {
  "rare literal": { query: "quokkaZebra", mode: "literal" },
  "rare regex": { query: "quokka[A-Z]\\w+", mode: "regex" },
  "regex with blanks": { query: "\\bexport\\s+(?:async\\s+)?function\\s+qu[a-z]\\w*Zebra", mode: "regex" },
  "regex without literal": { query: "[A-Z]{3,}_[A-Z]{3,}\\d", mode: "regex" },
} as const;

const bench: Bench = {
  name: "search",
  question: "What does it cost to search 100 MB of blocks, and whom does a hostile pattern hold up?",
  async run({ rounds, log, isAsked }) {
    log(`filling ${blockCount} blocks`);
    const texts = corpus(seededRandom(20));
    const workspace = await openBenchWorkspace();
    try {
      const files = await fill(workspace, texts);
      const rows: BenchRow[] = [];
      for (const [name, { query, mode }] of Object.entries(patterns)) {
        if (!isAsked(name)) continue;
        log(name);
        rows.push(...(await searching({ workspace, texts, rounds }, name, { query, mode })));
      }
      if (!isAsked("hostile")) return rows;
      log("hostile pattern");
      return [...rows, ...(await hostile(workspace, must(files[0], "a first file"), rounds))];
    } finally {
      await workspace.close();
    }
  },
};

export default bench;

/** Texts that look like code, one byte per unit; the rare words are in five of them. */
function corpus(random: SeededRandom): readonly string[] {
  const words = Array.from({ length: 4_000 }, () =>
    Array.from({ length: 3 + random.below(8) }, () => String.fromCharCode(97 + random.below(26))).join(""),
  );
  return Array.from({ length: blockCount }, (_, block) => {
    const lines: string[] = block % 1_000 === 500 ? ["export async function quokkaZebra(ABC_DEF1) {"] : [];
    for (let units = 0; units < unitsOfBlock;) {
      const line = Array.from({ length: 2 + random.below(9) }, () => must(words[random.below(words.length)], "a word"));
      const whole = `${" ".repeat(2 * random.below(4))}${random.below(20) === 0 ? "export function " : ""}${line.join(" ")};`;
      lines.push(whole);
      units += whole.length + 1;
    }
    return `${lines.join("\n")}\n`;
  });
}

async function openBenchWorkspace(): Promise<Workspace> {
  const platform = systemPlatform();
  const catalogue = buildCatalogue({}, { fetch, clock: platform.clock, sleep: paceOf("instant", platform.clock) });
  return openWorkspace({ store: openMemoryStore(), catalogue, platform, cwd: "/", welcome: false });
}

async function fill(workspace: Workspace, texts: readonly string[]): Promise<readonly BlockId[]> {
  const author = workspace.author(person, await workspace.replicas.forClient("bench", person));
  const ids: BlockId[] = [];
  for (const [index, text] of texts.entries()) {
    const made = await workspace.hub.editor.create(author, {
      documentId: `file-${index}` as DocumentId,
      parentId: null,
      role: "user",
      kind: "file",
      status: "done",
      metadata: { path: `src/file-${index}.ts` },
      text,
    });
    assert(made.ok, "the block is made");
    ids.push(made.value.id);
  }
  return ids;
}

async function call(workspace: Workspace, tool: string, parameters: JsonObject): Promise<JsonObject> {
  const answer = await workspace.runBlockTool(person, tool, parameters);
  assert(answer.ok && isJsonObject(answer.value), `${tool} answers: ${JSON.stringify(answer).slice(0, 200)}`);
  return answer.value;
}

interface Corpus {
  readonly workspace: Workspace;
  readonly texts: readonly string[];
  readonly rounds: number;
}

/** CPU time of the whole process with its threads, alternating; both sides have the texts in memory. */
async function searching(
  { workspace, texts, rounds }: Corpus,
  name: string,
  pattern: { readonly query: string; readonly mode: "literal" | "regex" },
): Promise<readonly BenchRow[]> {
  const bare = pattern.mode === "literal" ? "includes" : "V8 on the bare text";
  const regex = pattern.mode === "regex" ? new RegExp(pattern.query, "gu") : null;
  const scan = async (): Promise<number> => {
    let found = 0;
    for (const text of texts)
      if (regex === null ? text.includes(pattern.query) : text.match(regex) !== null) found += 1;
    return found;
  };
  const search = async (): Promise<number> => {
    const { blocks } = await call(workspace, "kernel_search", { ...pattern, max_blocks: 200 });
    return Array.isArray(blocks) ? blocks.length : -1;
  };
  assert((await scan()) === (await search()), `${name}: both find the same`);
  const bareMs: number[] = [];
  const ownMs: number[] = [];
  for (let round = 0; round < rounds; round += 1) {
    const subjects = [
      { work: scan, into: bareMs },
      { work: search, into: ownMs },
    ];
    for (const { work, into } of round % 2 === 0 ? subjects : subjects.toReversed()) into.push(await cpuMs(work));
  }
  const ratio = median(ownMs.map((value, round) => value / (bareMs[round] ?? Number.NaN)));
  const goal = atMost(pattern.mode === "literal" ? 1.5 : 2, ratio);
  return [
    { work: name, subject: bare, value: median(bareMs), unit: "ms CPU", ratio: null, ...noGoal },
    { work: name, subject: "kernel_search", value: median(ownMs), unit: "ms CPU", ratio, ...goal },
  ];
}

/** Three runs, for a long enough measurement. */
async function cpuMs(work: () => Promise<unknown>): Promise<number> {
  const runs = 3;
  const before = process.cpuUsage();
  for (let run = 0; run < runs; run += 1) await work();
  const { user, system } = process.cpuUsage(before);
  return (user + system) / 1000 / runs;
}

/**
 * Measures reads and edits (p99) while somebody repeatedly sends a pattern that never ends; beside a thread that only
 * counts, which is the cost of any search on this machine; and alone. They alternate within a round.
 */
async function hostile(workspace: Workspace, file: BlockId, rounds: number): Promise<readonly BenchRow[]> {
  const endless = { query: "^(\\w+\\s?)*$", max_blocks: 200 };
  const began = performance.now();
  const refused = await workspace.runBlockTool(person, "kernel_search", endless);
  const endedMs = performance.now() - began;
  assert(!refused.ok && refused.error.code === "REGEX_TIMEOUT", "the pattern ends at its deadline");
  const beside = {
    alone: () => () => Promise.resolve(),
    busy: () => {
      const thread = new Worker("let n = 0; for (;;) n = (n + 1) | 0;", { eval: true });
      return () => thread.terminate();
    },
    hostile: () => {
      const until = { over: false };
      const attack = keepSearching(workspace, endless, until);
      return () => {
        until.over = true;
        return attack;
      };
    },
  };
  const subjects = ["alone", "busy", "hostile"] as const;
  const took: Record<(typeof subjects)[number], Took[]> = { alone: [], busy: [], hostile: [] };
  for (let round = 0; round < rounds; round += 1) {
    for (const subject of round % 2 === 0 ? subjects : subjects.toReversed()) {
      const end = beside[subject]();
      took[subject].push(await requests(workspace, file));
      await end();
    }
  }
  const figure = (subject: keyof typeof took, of: keyof Took): number => median(took[subject].map((each) => each[of]));
  const ratio = (subject: keyof typeof took, of: keyof Took): number =>
    median(took[subject].map((each, round) => each[of] / (took.alone[round]?.[of] ?? Number.NaN)));
  const named = { busy: "beside a thread that counts", hostile: "beside the pattern" } as const;
  const rows: BenchRow[] = [
    { work: "hostile pattern ends", subject: "kernel_search", value: endedMs, unit: "ms", ratio: null, ...noGoal },
  ];
  for (const [of, work, unit, most] of [
    ["p99Ms", "request beside a hostile pattern, p99", "ms", 1.5],
    ["mainCpuMs", "its CPU in the main thread, with all that thread does meanwhile", "ms CPU", 1.2],
  ] as const) {
    rows.push({ work, subject: "alone", value: figure("alone", of), unit, ratio: null, ...noGoal });
    for (const subject of ["busy", "hostile"] as const) {
      const to = ratio(subject, of);
      const goal = subject === "hostile" ? atMost(most, to) : noGoal;
      rows.push({ work, subject: named[subject], value: figure(subject, of), unit, ratio: to, ...goal });
    }
  }
  return rows;
}

async function keepSearching(
  workspace: Workspace,
  query: JsonObject,
  until: { readonly over: boolean },
): Promise<void> {
  while (!until.over) await workspace.runBlockTool(person, "kernel_search", query);
}

interface Took {
  readonly p99Ms: number;
  /**
   * CPU time of the main thread per request: what a pattern takes from the requests' own thread, however many
   * processors there are.
   */
  readonly mainCpuMs: number;
}

async function requests(workspace: Workspace, file: BlockId): Promise<Took> {
  const count = 400;
  const tookMs: number[] = [];
  const before = process.threadCpuUsage();
  for (let request = 0; request < count; request += 1) {
    const began = performance.now();
    await call(workspace, "block_splice", { block_id: file, offset: 0, delete_count: 0, insert: "x" });
    await call(workspace, "block_search", { block_id: file, query: "quokka", mode: "literal" });
    tookMs.push(performance.now() - began);
    await wait(5);
  }
  const { user, system } = process.threadCpuUsage(before);
  tookMs.sort((a, b) => a - b);
  return { p99Ms: tookMs[Math.floor(count * 0.99)] ?? Number.NaN, mainCpuMs: (user + system) / 1000 / count };
}
