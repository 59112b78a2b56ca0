import { readFileSync, rmSync, writeFileSync } from "node:fs";
import { isJsonObject } from "../../core/base/json.ts";
import { killMarked } from "./marked-processes.ts";

/** Identifies a process although pids are reused: the boot id and the process's start time. */
interface Birth {
  readonly boot: string;
  readonly ticks: string;
}

interface Running extends Birth {
  /** Finds its processes outside its group; see `killMarked`. */
  readonly mark: string;
}

/**
 * Records the running programs in a file. A killed Heddle cannot end them, and a program that ignores its closed input
 * would run for ever; the next start ends those. Linux only; elsewhere nothing is written.
 */
export class RunningPrograms {
  readonly #file: string;
  readonly #runningByPid = new Map<number, Running>();

  private constructor(file: string) {
    this.#file = file;
  }

  /** Ends the programs that an earlier Heddle left, with what they started; calls `onEnded` for each group that ran. */
  static open(file: string, onEnded: (pid: number) => void = () => {}): RunningPrograms {
    const left = leftIn(file);
    for (const [pid, birth] of left) {
      const now = birthOfGroup(pid);
      if (now === null || now.boot !== birth.boot || now.ticks !== birth.ticks) continue;
      try {
        process.kill(-pid, "SIGKILL");
        onEnded(pid);
      } catch {
        // It ended by itself just now.
      }
    }
    killMarked(left.flatMap(([, { mark }]) => (mark === "" ? [] : [mark])));
    const programs = new RunningPrograms(file);
    programs.#write();
    return programs;
  }

  began(pid: number, mark: string): void {
    const birth = birthOfGroup(pid);
    if (birth === null) return;
    this.#runningByPid.set(pid, { ...birth, mark });
    this.#write();
  }

  ended(pid: number): void {
    if (this.#runningByPid.delete(pid)) this.#write();
  }

  #write(): void {
    try {
      if (this.#runningByPid.size === 0) rmSync(this.#file, { force: true });
      else writeFileSync(this.#file, JSON.stringify(Object.fromEntries(this.#runningByPid)), { mode: 0o600 });
    } catch {
      // On a full disk the record is lost; an ordinary exit still ends the programs.
    }
  }
}

function leftIn(file: string): readonly (readonly [number, Running])[] {
  try {
    const read: unknown = JSON.parse(readFileSync(file, "utf8"));
    if (!isJsonObject(read)) return [];
    return Object.entries(read).flatMap(([key, birth]) => {
      const pid = Number(key);
      if (!Number.isSafeInteger(pid) || pid <= 1 || !isJsonObject(birth)) return [];
      // Releases before 0.1.0 recorded no mark.
      const { boot, ticks, mark = "" } = birth;
      if (typeof boot !== "string" || typeof ticks !== "string" || typeof mark !== "string") return [];
      return [[pid, { boot, ticks, mark }] as const];
    });
  } catch {
    return [];
  }
}

/** The start time of a group's leader; null when there is none or it is unknown. */
function birthOfGroup(pid: number): Birth | null {
  try {
    const stat = readFileSync(`/proc/${pid}/stat`, "latin1");
    // The name in front may hold any character. Behind it come state, parent, group, …; the twentieth is the start time.
    const fields = stat.slice(stat.lastIndexOf(")") + 2).split(" ");
    const [group, ticks] = [fields[2], fields[19]];
    if (group !== String(pid) || ticks === undefined) return null;
    return { boot: readFileSync("/proc/sys/kernel/random/boot_id", "utf8").trim(), ticks };
  } catch {
    return null;
  }
}
