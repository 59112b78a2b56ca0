import { BenchChild, type Listening } from "./child.ts";
import type { LoadOptions, LoadResult } from "./load.ts";

/**
 * The results of a load, and the server's resources for it: processor time in milliseconds, growth of its memory in
 * bytes.
 */
export interface LoadRun {
  readonly result: LoadResult;
  readonly cpuMs: number;
  readonly rssBytes: number;
}

/** Runs a load of clients, in their own process, on a server. */
export async function runLoad(server: BenchChild<Listening>, options: LoadOptions): Promise<LoadRun> {
  const clients = await BenchChild.start<"ready">("./load.ts", [JSON.stringify(options)]);
  const before = await server.used();
  const result = await clients.ask<LoadResult>({ ask: "go" });
  const { cpuMs, rssBytes } = await server.used();
  await clients.end();
  return { result, cpuMs: cpuMs - before.answeredCpuMs, rssBytes: rssBytes - before.rssBytes };
}
