import { parentPort } from "node:worker_threads";
import { must } from "../../core/base/assert.ts";
import { compileSearch, searchableText, shownUnits, type SearchableText } from "../../core/block/search/search.ts";
import type { FoundTexts } from "../../core/port/searcher.ts";
import type { SearchDone, SearchTask } from "./search-task.ts";

// Runs searches in a thread that can be terminated, so that an endless expression costs only this thread.

const port = must(parentPort, "a search worker has a parent");
const keptByHandle = new Map<number, SearchableText>();

port.on("message", (task: SearchTask) => {
  for (const handle of task.drop) keptByHandle.delete(handle);
  for (const { handle, text } of task.keep) keptByHandle.set(handle, searchableText(text));
  port.postMessage(carriedOut(task));
});
// Excludes the thread's start from the search time.
port.postMessage("ready");

function carriedOut({ id, query, texts, textsMax, unitsMax }: SearchTask): SearchDone {
  const before = process.threadCpuUsage();
  const { find, ...invalid } = compileSearch(query);
  const found: FoundTexts["found"][number][] = [];
  let units = 0;
  for (const [index, text] of texts.entries()) {
    const searched = typeof text === "string" ? searchableText(text) : must(keptByHandle.get(text), "the text is kept");
    const matches = find(searched);
    if (matches.matches.length === 0) continue;
    units += shownUnits(matches);
    if (found.push({ index, matches }) >= textsMax || units >= unitsMax) break;
  }
  const { user, system } = process.threadCpuUsage(before);
  return { id, found, isFull: units >= unitsMax, computedMs: (user + system) / 1_000, ...invalid };
}
