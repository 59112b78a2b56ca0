import { parentPort } from "node:worker_threads";
import { must } from "../../core/base/assert.ts";
import { compileSearch, searchableText, shownUnits, type SearchableText } from "../../core/block/search/search.ts";
import type { FoundTexts } from "../../core/port/searcher.ts";
import type { ThreadTexts } from "../../core/port/thread-texts.ts";
import type { SearchDone, SearchReady, SearchTask, StoredText } from "./search-task.ts";

// Runs searches in a thread that can be terminated, so that an endless expression costs only this thread.

const port = must(parentPort, "a search worker has a parent");
const keptByHandle = new Map<number, SearchableText>();
const textsByUrl = new Map<string, ThreadTexts>();
/** Texts read at once, and UTF-16 units read for one task, roughly: they wait in memory for their search. */
const readAtOnce = 16;
const readUnitsMax = 8 * 1024 * 1024;

port.on("message", (task: SearchTask) => {
  for (const handle of task.drop) keptByHandle.delete(handle);
  for (const { handle, text } of task.keep) keptByHandle.set(handle, searchableText(text));
  void carriedOut(task).then((done) => port.postMessage(done));
});
// Excludes the thread's start from the search time.
port.postMessage({ usedMs: msOf(process.threadCpuUsage()) } satisfies SearchReady);

async function carriedOut({ id, query, texts, stored, textsMax, unitsMax }: SearchTask): Promise<SearchDone> {
  const reading = new StoredReading(texts, await opened(stored));
  const before = process.threadCpuUsage();
  const { find, ...invalid } = compileSearch(query);
  const found: FoundTexts["found"][number][] = [];
  let units = 0;
  let searched = 0;
  for (const [index, text] of texts.entries()) {
    const at =
      typeof text === "object" ? reading.read(index) : typeof text === "string" ? searchableText(text) : kept(text);
    if (at === null) break;
    searched = index + 1;
    const matches = find(at);
    if (matches.matches.length === 0) continue;
    units += shownUnits(matches);
    if (found.push({ index, matches }) >= textsMax || units >= unitsMax) break;
  }
  const usedMs = msOf(process.threadCpuUsage());
  const computedMs = usedMs - msOf(before) - reading.tookMs;
  const { isMissing, kept: readToKeep } = reading;
  return {
    id,
    found,
    isFull: units >= unitsMax,
    searched,
    isMissing,
    kept: readToKeep,
    computedMs,
    usedMs,
    ...invalid,
  };
}

function msOf({ user, system }: NodeJS.CpuUsage): number {
  return (user + system) / 1_000;
}

function kept(handle: number): SearchableText {
  return must(keptByHandle.get(handle), "the text is kept");
}

/** Reads the texts of one task that are stored, some at once. */
class StoredReading {
  readonly #texts: SearchTask["texts"];
  readonly #source: OpenedTexts | null;
  /** The texts read last, by their index; null for one that is not there. */
  readonly #read = new Map<number, SearchableText | null>();
  #units = 0;
  readonly kept: { readonly handle: number; readonly units: number }[] = [];
  isMissing = false;
  /** Processor time of reading. */
  tookMs = 0;

  constructor(texts: SearchTask["texts"], source: OpenedTexts | null) {
    this.#texts = texts;
    this.#source = source;
  }

  /** Returns the text at an index; null when it cannot be read, or when enough were read. */
  read(index: number): SearchableText | null {
    if (!this.#read.has(index)) {
      this.#read.clear();
      // The first is always read, or the search would not go on.
      if (this.#units >= readUnitsMax) return null;
      const before = process.threadCpuUsage();
      this.#readFrom(index);
      this.tookMs += msOf(process.threadCpuUsage(before));
    }
    const text = this.#read.get(index) ?? null;
    this.isMissing = text === null;
    return text;
  }

  #readFrom(index: number): void {
    const { texts, unitsBelow } = must(this.#source, "stored texts have a source");
    const asked: { readonly index: number; readonly text: StoredText }[] = [];
    for (let next = index; next < this.#texts.length && asked.length < readAtOnce; next += 1) {
      const text = this.#texts[next];
      if (typeof text === "object") asked.push({ index: next, text });
    }
    for (const [at, read] of readable(
      texts,
      asked.map(({ text }) => text),
    ).entries()) {
      const { index: place, text } = must(asked[at], "an answer for each text");
      const searchable = read === null || read.length >= unitsBelow ? null : searchableText(read);
      this.#read.set(place, searchable);
      if (searchable === null) continue;
      this.#units += searchable.text.length;
      if (text.handle === null) continue;
      keptByHandle.set(text.handle, searchable);
      this.kept.push({ handle: text.handle, units: searchable.text.length });
    }
  }
}

interface OpenedTexts {
  /** null: they cannot be opened. */
  readonly texts: ThreadTexts | null;
  readonly unitsBelow: number;
}

/** Returns nulls for texts that cannot be read: loading them tells what is wrong. */
function readable(stored: ThreadTexts | null, texts: readonly StoredText[]): readonly (string | null)[] {
  try {
    return stored?.read(texts) ?? texts.map(() => null);
  } catch {
    return texts.map(() => null);
  }
}

/** Opens a module once; one that fails is tried again with the next task. */
async function opened(stored: SearchTask["stored"]): Promise<OpenedTexts | null> {
  if (stored === null) return null;
  const { unitsBelow, module } = stored;
  const known = textsByUrl.get(module.url);
  if (known !== undefined) return { texts: known, unitsBelow };
  try {
    const { openTexts } = (await import(module.url)) as { readonly openTexts: (data: object) => ThreadTexts };
    const texts = openTexts(module.data);
    textsByUrl.set(module.url, texts);
    return { texts, unitsBelow };
  } catch {
    return { texts: null, unitsBelow };
  }
}
