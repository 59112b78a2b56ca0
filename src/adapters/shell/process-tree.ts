import { spawn, type ChildProcess } from "node:child_process";
import { readFileSync } from "node:fs";
import { setTimeout as delay } from "node:timers/promises";

/** Started as the leader of a group of its own, without input. */
export function spawnGroup(
  line: string,
  { folder, env }: { readonly folder: string; readonly env: Readonly<Record<string, string>> },
): ChildProcess {
  return spawn("/bin/sh", ["-c", `exec ${line}`], {
    cwd: folder,
    env: { ...env },
    stdio: ["ignore", "pipe", "pipe"],
    detached: true,
  });
}

/**
 * Ends a process and whatever descends from it, and resolves when all of it is gone. The leader is stopped first, so that
 * nobody is born meanwhile; its children are what the sandbox calls process 1, and with that one the kernel ends all that
 * lives below it, whatever it ignores.
 */
export async function killTree(leader: number): Promise<void> {
  signal(-leader, "SIGSTOP");
  const children = descendants(leader);
  for (const pid of children) signal(pid, "SIGKILL");
  signal(-leader, "SIGKILL");
  for (let waitedMs = 0; waitedMs < patienceMs; waitedMs += lookEveryMs) {
    if (!children.some(lives)) return;
    await delay(lookEveryMs);
  }
}

const lookEveryMs = 2;
const patienceMs = 1_000;

function signal(pid: number, name: NodeJS.Signals): void {
  try {
    process.kill(pid, name);
  } catch {
    // It is gone already.
  }
}

/** What the system knows to descend from a process; nothing where it does not tell. */
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

/** Whether a process is there and more than an entry that nobody has fetched yet. */
function lives(pid: number): boolean {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    return !/^[ZX]/.test(stat.slice(stat.lastIndexOf(")") + 2));
  } catch {
    return false;
  }
}
