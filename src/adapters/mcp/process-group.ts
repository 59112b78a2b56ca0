import { spawn, type ChildProcessWithoutNullStreams } from "node:child_process";
import { randomUUID } from "node:crypto";
import { killMarked, markedEnvironment } from "./marked-processes.ts";
import type { RunningPrograms } from "./running-programs.ts";

/** Milliseconds between asking a program to end and killing it. */
const graceMs = 500;

/** The groups that still run with their marks, killed when this process exits abruptly. */
const living = new Map<ProcessGroup["child"], string>();
let isWatching = false;

/** A program and every process that it starts; they end together. */
export interface ProcessGroup {
  readonly child: ChildProcessWithoutNullStreams;
  /** Closes the program's input, then kills the whole group. Resolves when the program has exited. */
  end(): Promise<void>;
}

interface GroupOptions {
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** Records the program while it runs. */
  readonly programs?: RunningPrograms;
}

/** Starts a program as the leader of its own process group. No shell is involved, so arguments are passed verbatim. */
export function startGroup(
  command: string,
  args: readonly string[],
  { env, cwd, programs }: GroupOptions,
): ProcessGroup {
  const mark = randomUUID();
  const child = spawn(command, [...args], {
    cwd,
    env: { ...env, ...markedEnvironment(mark) },
    stdio: "pipe",
    // Windows has no groups; there, `taskkill` follows the tree.
    detached: process.platform !== "win32",
    windowsHide: true,
  });
  const { pid } = child;
  living.set(child, mark);
  if (pid !== undefined) programs?.began(pid, mark);
  endWithUs();
  // A no-op listener: an error event without a listener would end this process.
  child.on("error", () => {});
  child.stderr.on("error", () => {});
  const exited = new Promise<void>((resolve) => {
    child.once("exit", () => resolve());
    child.once("error", () => {
      if (child.pid === undefined) resolve();
    });
  });
  // Kills what is left when the leader exits, for whatever reason, also in sessions of its own.
  void exited.then(() => {
    living.delete(child);
    signalGroup(child, "SIGKILL");
    killMarked([mark]);
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
      if (await within(graceMs, exited)) break;
      signalGroup(child, signal);
    }
    await exited;
    child.stdout.destroy();
    child.stderr.destroy();
  }
}

/**
 * Kills all groups when this process exits. When this process is killed, their input closes, and the next start ends the
 * programs that remain.
 */
function endWithUs(): void {
  if (isWatching) return;
  isWatching = true;
  process.once("exit", () => {
    for (const child of living.keys()) signalGroup(child, "SIGKILL");
    killMarked([...living.values()]);
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
    // The group has no process left.
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
