import { readdirSync, readFileSync } from "node:fs";
import { must } from "../../src/core/base/assert.ts";
import type { ServerProcess } from "../e2e/server-process.ts";

/** What a server process holds at a moment. Memory in MB. */
export interface Use {
  /** Seconds since the soak began. */
  readonly at: number;
  readonly rssMb: number;
  readonly heapMb: number;
  readonly descriptors: number;
  /** Tokens that its models have written since it started. */
  readonly tokens: number;
}

/** Reads the process's memory and descriptors from outside, and its heap and tokens from its metrics. */
export async function useOf({ pid, origin, token }: ServerProcess, at: number): Promise<Use> {
  const rss = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
  const descriptors = readdirSync(`/proc/${pid}/fd`).length;
  const metrics = await metricsOf(`${origin}/metrics`, token);
  return {
    at,
    rssMb: Number(must(rss, "the process has memory")) / 1024,
    heapMb: sumOf(metrics, "nodejs_heap_size_used_bytes", "") / 2 ** 20,
    descriptors,
    tokens: sumOf(metrics, "heddle_model_tokens_total", 'type="output"'),
  };
}

/** On a busy machine a request may wait longer than the server lets it. */
const tries = 5;

async function metricsOf(address: string, token: string): Promise<string> {
  for (let attempt = 1; ; attempt += 1) {
    const answer = await fetch(address, { headers: { authorization: `Bearer ${token}`, connection: "close" } });
    const metrics = await answer.text();
    if (answer.ok) return metrics;
    if (answer.status !== 408 || attempt === tries) throw new Error(`GET /metrics: ${answer.status} ${metrics}`);
  }
}

/** The sum of a metric over its labels, of the lines that have a label. */
function sumOf(metrics: string, name: string, label: string): number {
  return metrics
    .split("\n")
    .filter((line) => line.startsWith(name) && line.includes(label))
    .reduce((sum, line) => sum + Number(line.slice(line.lastIndexOf(" ") + 1)), 0);
}

/**
 * The slope of a series a minute, by Theil and Sen: the median of the slopes between any two points, which a garbage collection
 * or a burst does not move. Each minute counts once, by its least value: what is still there after a collection.
 */
export function slopePerMinute(samples: readonly { readonly at: number; readonly value: number }[]): number {
  const leastByMinute = new Map<number, number>();
  for (const { at, value } of samples) {
    const minute = Math.floor(at / 60);
    leastByMinute.set(minute, Math.min(value, leastByMinute.get(minute) ?? Number.POSITIVE_INFINITY));
  }
  const points = [...leastByMinute];
  const slopes = points.flatMap(([minute, value], index) =>
    points.slice(index + 1).map(([later, then]) => (then - value) / (later - minute)),
  );
  const sorted = slopes.toSorted((a, b) => a - b);
  const middle = sorted.length / 2;
  if (sorted.length === 0) return Number.NaN;
  const [low, high] = [sorted[Math.ceil(middle) - 1], sorted[Math.floor(middle)]];
  return (must(low, "a slope") + must(high, "a slope")) / 2;
}
