import { readdirSync, readFileSync } from "node:fs";
import type { Clock } from "../../core/port/platform.ts";

const pollMs = 100;
/** Looking may take this share of the time at most, however many processes there are. */
const pauseTimes = 20;

/**
 * Calls `onTooMuch` once when a process and its descendants use more memory together than `bytesMax`. A limit of the
 * kernel's would need a control group that Heddle may write, which an ordinary user rarely has. Returns how to stop.
 */
export function watchMemory(
  leader: number,
  { bytesMax, clock, onTooMuch }: { readonly bytesMax: number; readonly clock: Clock; readonly onTooMuch: () => void },
): () => void {
  let cancel = (): void => {};
  const look = (): void => {
    const begun = clock.monotonic();
    if (treeMemory(leader) > bytesMax) return onTooMuch();
    cancel = clock.setTimer(Math.max(pollMs, (clock.monotonic() - begun) * pauseTimes), look);
  };
  cancel = clock.setTimer(pollMs, look);
  return () => cancel();
}

/** The bytes in memory that a process and its descendants do not share with files; 0 where the system does not tell. */
function treeMemory(pid: number): number {
  return childrenOf(pid).reduce((sum, child) => sum + treeMemory(child), ownMemory(pid));
}

function ownMemory(pid: number): number {
  try {
    const status = readFileSync(`/proc/${pid}/status`, "latin1");
    const kib = [...status.matchAll(/^(?:RssAnon|RssShmem|VmSwap):\s+(\d+) kB$/gm)].map(([, count]) => Number(count));
    return kib.reduce((sum, each) => sum + each, 0) * 1024;
  } catch {
    return 0;
  }
}

/** Each thread has the children that it started. */
function childrenOf(pid: number): readonly number[] {
  try {
    return readdirSync(`/proc/${pid}/task`).flatMap((thread) =>
      readFileSync(`/proc/${pid}/task/${thread}/children`, "latin1").split(" ").filter(Boolean).map(Number),
    );
  } catch {
    return [];
  }
}
