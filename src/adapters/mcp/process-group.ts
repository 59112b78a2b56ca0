import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import type { RunningPrograms } from "./running-programs.ts";

/** How long a process that was asked to end may take before it is ended, in milliseconds. */
const graceMs = 500;

/** The groups that have not ended, for whatever ends this process in a hurry. */
const living = new Set<ProcessGroup["child"]>();
let isWatching = false;

/** A program and everything that it starts: they end together. */
export interface ProcessGroup {
  readonly child: ChildProcessWithoutNullStreams;
  /** Asks the program to end by closing its input, then ends the whole group. Resolves when the program is gone. */
  end(): Promise<void>;
}

interface GroupOptions {
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** Where it is remembered as long as it runs. */
  readonly programs?: RunningPrograms;
}

/**
 * Starts a program as the head of a process group of its own. Nothing passes through a shell: the arguments are what they
 * are.
 */
export function startGroup(
  command: string,
  args: readonly string[],
  { env, cwd, programs }: GroupOptions,
): ProcessGroup {
  const child = spawn(command, [...args], {
    cwd,
    env: { ...env },
    stdio: "pipe",
    // Windows has no groups; there, `taskkill` follows the tree.
    detached: process.platform !== "win32",
    windowsHide: true,
  });
  const { pid } = child;
  living.add(child);
  if (pid !== undefined) programs?.began(pid);
  endWithUs();
  // Heard by whoever waits below; without an ear, a second one would end us.
  child.on("error", () => {});
  child.stderr.on("error", () => {});
  const gone = new Promise<void>((resolve) => {
    child.once("exit", () => resolve());
    child.once("error", () => {
      if (child.pid === undefined) resolve();
    });
  });
  // What the head leaves behind goes with it, also when it went by itself.
  void gone.then(() => {
    living.delete(child);
    signalGroup(child, "SIGKILL");
    if (pid !== undefined) programs?.ended(pid);
  });
  let ending: Promise<void> | null = null;
  return {
    child,
    end() {
      ending ??= end();
      return ending;
    },
  };

  async function end(): Promise<void> {
    child.stdin.end();
    for (const signal of ["SIGTERM", "SIGKILL"] as const) {
      if (await within(graceMs, gone)) break;
      signalGroup(child, signal);
    }
    await gone;
    child.stdout.destroy();
    child.stderr.destroy();
  }
}

/** A process that ends without waiting takes them along. One that is killed cannot: then their input closes, and the next start ends those that stay. */
function endWithUs(): void {
  if (isWatching) return;
  isWatching = true;
  process.once("exit", () => {
    for (const child of living) signalGroup(child, "SIGKILL");
  });
}

function signalGroup({ pid }: ProcessGroup["child"], signal: NodeJS.Signals): void {
  if (pid === undefined) return;
  if (process.platform === "win32") {
    spawn("taskkill", ["/pid", String(pid), "/T", "/F"], { stdio: "ignore", windowsHide: true }).on("error", () => {});
    return;
  }
  try {
    process.kill(-pid, signal);
  } catch {
    // Nobody of the group is left.
  }
}

async function within(ms: number, work: Promise<void>): Promise<boolean> {
  let timer: NodeJS.Timeout | undefined;
  const late = new Promise<false>((resolve) => {
    timer = setTimeout(() => resolve(false), ms);
  });
  const done = await Promise.race([work.then(() => true), late]);
  clearTimeout(timer);
  return done;
}
