import { spawn, type ChildProcess } from "node:child_process";
import { readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";

/**
 * Starts a process as the leader of its own group, without input. What it writes to descriptor 3 is read apart: there the
 * runner of `command-limits.ts` says that it has begun.
 */
export function spawnGroup(
  line: string,
  { folder, env }: { readonly folder: string; readonly env: Readonly<Record<string, string>> },
): ChildProcess {
  return spawn("/bin/sh", ["-c", `exec ${line}`], {
    cwd: folder,
    env: { ...env },
    stdio: ["ignore", "pipe", "pipe", "pipe"],
    detached: true,
  });
}

/**
 * Kills a process and its descendants; resolves when all have exited. The leader is stopped first, so that it starts no
 * further process. The sandbox sees its child as process 1, and when that exits the kernel kills everything below it.
 */
export async function killTree(leader: number): Promise<void> {
  signal(-leader, "SIGSTOP");
  const children = descendants(leader);
  for (const pid of children) signal(pid, "SIGKILL");
  signal(-leader, "SIGKILL");
  for (let waitedMs = 0; waitedMs < exitWaitMsMax; waitedMs += pollIntervalMs) {
    if (!children.some(lives)) return;
    await delay(pollIntervalMs);
  }
}

const pollIntervalMs = 2;
const exitWaitMsMax = 1_000;

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It has exited already.
  }
}

/** The known descendants of a process; none where the system does not report them. */
function descendants(pid: number): readonly number[] {
  try {
    const children = readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8")
      .split(" ")
      .filter((word) => word !== "");
    return children.flatMap((child) => [Number(child), ...descendants(Number(child))]);
  } catch {
    return [];
  }
}

/** Whether a process runs, zombies excluded. */
function lives(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    return !/^[ZX]/.test(stat.slice(stat.lastIndexOf(")") + 2));
  } catch {
    return false;
  }
}
