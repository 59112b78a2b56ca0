import { parentPort, workerData } from "node:worker_threads";
import { startAgents } from "./crowd.ts";

// The agents of a crowd in a thread of their own: reports each edit that was acknowledged.

const given = workerData as Parameters<typeof startAgents>[0] & { readonly seconds: number };
const work = await startAgents(given);
const over = AbortSignal.timeout(given.seconds * 1_000);
await work.until(
  () => over.aborted,
  (mark, agent) => parentPort?.postMessage([mark, agent], []),
);
