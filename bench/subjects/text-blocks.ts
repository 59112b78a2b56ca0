/** Measures the memory of many open texts, and the time to open them. */

import type { Engine, Replica } from "./text-replica.ts";

/** Opens and edits blocks of 500 characters, keeps them all, and returns processor time and memory per block. */
export function blocksOpened(
  engine: Engine,
  count: number,
): { readonly usPerBlock: number; readonly bytesPerBlock: number } {
  const line = "The quick brown fox jumps over the lazy dog, and on it goes.\n";
  const writer = engine.make(1, "unwatched");
  writer.write(0, 0, line.repeat(9).slice(0, 500));
  const saved = writer.save();
  writer.free();
  let us = 0;
  const bytesPerBlock = memoryOf(count, () => {
    // A store gives each block its own bytes.
    const bytes = saved.slice();
    const before = process.cpuUsage();
    const replica = engine.load(bytes);
    replica.write(250, 0, "fifty characters go into the middle of what is there");
    const { user, system } = process.cpuUsage(before);
    us += user + system;
    return replica;
  });
  return { usPerBlock: us / count, bytesPerBlock };
}

/** Bytes that each of many replicas keeps: of the process for engines outside the collected heap, else of the heap. */
export function memoryOf(count: number, open: () => Replica): number {
  const warm = Array.from({ length: Math.min(count, 200) }, open);
  const heapBefore = heapBytes();
  const processBefore = process.memoryUsage.rss();
  const replicas = Array.from({ length: count }, open);
  const heap = heapBytes() - heapBefore;
  const all = process.memoryUsage.rss() - processBefore;
  for (const replica of [...warm, ...replicas]) replica.free();
  return (replicas.some(({ collected }) => !collected) ? Math.max(all, heap) : heap) / count;
}

function heapBytes(): number {
  globalThis.gc?.();
  globalThis.gc?.();
  const { heapUsed, arrayBuffers } = process.memoryUsage();
  return heapUsed + arrayBuffers;
}
