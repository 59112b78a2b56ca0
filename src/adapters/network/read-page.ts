import { once } from "node:events";
import { Worker } from "node:worker_threads";
import type { PageText } from "./page-markdown.ts";

/** How long a page may be read, in milliseconds; a hostile page can make any reader slow. */
const readMsMax = 5_000;

/** Turns a page into Markdown in a thread of its own, which is ended when the page takes too long. Rejects then. */
export async function readPage(html: string, url: string, signal: AbortSignal): Promise<PageText> {
  const file = import.meta.url.endsWith(".ts") ? "./page-worker.ts" : "./page-worker.js";
  const worker = new Worker(new URL(file, import.meta.url), {
    execArgv: [],
    workerData: { html, url },
    resourceLimits: { maxOldGenerationSizeMb: 256 },
  });
  worker.unref();
  // A thread that runs out of memory while it is being ended has nobody to tell.
  worker.on("error", () => {});
  const timeout = AbortSignal.timeout(readMsMax);
  try {
    const [text] = (await once(worker, "message", { signal: AbortSignal.any([signal, timeout]) })) as [PageText];
    return text;
  } catch (problem) {
    throw timeout.aborted ? new Error(`It takes longer than ${readMsMax / 1000} s to make sense of it.`) : problem;
  } finally {
    void worker.terminate();
  }
}
