import { parentPort } from "node:worker_threads";
import { searchText, type SearchQuery, type SearchResult } from "../../core/block/search.ts";
import { must } from "../../core/base/assert.ts";

/** Runs searches where they can be stopped: an expression that takes for ever only costs this thread. */
export interface SearchTask {
  readonly id: number;
  readonly texts: readonly string[];
  readonly query: SearchQuery;
}

export interface SearchDone {
  readonly id: number;
  readonly results: readonly SearchResult[];
}

const port = must(parentPort, "a search worker has a parent");
port.on("message", (task: SearchTask) => {
  const done: SearchDone = { id: task.id, results: task.texts.map((text) => searchText(text, task.query)) };
  port.postMessage(done);
});
// The time a thread takes to start is nobody's search time.
port.postMessage("ready");
