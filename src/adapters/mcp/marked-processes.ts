import { readdirSync, readFileSync } from "node:fs";

/**
 * The variable by which a program's processes are found although they left its group for a session of their own: it is
 * inherited. A Heddle that another Heddle runs keeps the other's mark in front of its own.
 */
const markVariable = "HEDDLE_PROGRAM";

/** Processes may start others while they are looked for. */
const roundsMax = 5;

/** Returns the variables that mark a program and what it starts. */
export function markedEnvironment(mark: string): Readonly<Record<string, string>> {
  const outer = process.env[markVariable];
  return { [markVariable]: outer === undefined ? mark : `${outer}/${mark}` };
}

/**
 * Kills every process with one of these marks, in any group or session; returns how many. Linux only; a process that
 * cleared its environment is not found.
 */
export function killMarked(marks: readonly string[]): number {
  const killed = new Set<number>();
  for (let round = 0; round < roundsMax && marks.length > 0; round += 1) {
    const found = processIds().filter((pid) => pid !== process.pid && isMarked(pid, marks));
    if (found.every((pid) => killed.has(pid))) break;
    for (const pid of found) {
      try {
        process.kill(pid, "SIGKILL");
        killed.add(pid);
      } catch {
        // It ended by itself just now.
      }
    }
  }
  return killed.size;
}

function processIds(): readonly number[] {
  if (process.platform !== "linux") return [];
  try {
    return readdirSync("/proc").flatMap((name) => (/^[1-9]\d*$/.test(name) ? [Number(name)] : []));
  } catch {
    return [];
  }
}

/** A mark is random, so nothing else holds it. Another user's environment is unreadable, and an ended process has none. */
function isMarked(pid: number, marks: readonly string[]): boolean {
  try {
    const environment = readFileSync(`/proc/${pid}/environ`);
    return environment.includes(`${markVariable}=`) && marks.some((mark) => environment.includes(mark));
  } catch {
    return false;
  }
}
