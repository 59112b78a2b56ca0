import { fork, type ChildProcess } from "node:child_process";
import { unreachable } from "../../core/base/assert.ts";
import { err, ok, type Result } from "../../core/base/result.ts";
import type { SandboxAnswer, SandboxRequest } from "./sandbox-messages.ts";
import type { FolderRules } from "./sandbox-policy.ts";
import type { SandboxRuntimeConfig } from "@anthropic-ai/sandbox-runtime";

const script = new URL(
  import.meta.url.endsWith(".ts") ? "./sandbox-process.ts" : "./sandbox-process.js",
  import.meta.url,
);

/** Longest wait for the process's answer, for which it scans the folder. Milliseconds. */
const answerMsMax = 60_000;
const noAnswer = "the sandbox's process did not answer within a minute";

interface Asked {
  readonly policy: SandboxRuntimeConfig;
  readonly folder: string;
  readonly own: string;
  readonly env: Readonly<Record<string, string>>;
  /** Aborts when the caller no longer needs the sandbox. */
  readonly signal: AbortSignal;
}

/** What the process answered: the line of a command, or what it renamed after one. */
interface Answered {
  readonly line: string;
  readonly held: readonly string[];
}

/** The process that wraps commands for the sandbox. */
export class Sandbox {
  readonly #child: ChildProcess;
  readonly #waitingById = new Map<number, (answer: Result<Answered, string>) => void>();
  #nextId = 1;
  #lost: string | null = null;

  private constructor(child: ChildProcess) {
    this.#child = child;
    child.on("message", (answer: SandboxAnswer) => this.#take(answer));
    child.on("exit", (code, signal) => this.#lose(`the sandbox's process ended (${signal ?? code})`));
    child.on("error", (problem) => this.#lose(problem.message));
  }

  /** Starts the process in the folder to protect; returns the reason when it does not start. */
  static open({ policy, folder, own, env, signal: unwanted }: Asked): Promise<Result<Sandbox, string>> {
    const child = fork(script, [], {
      cwd: folder,
      env: { ...env },
      execArgv: [],
      stdio: ["ignore", "ignore", "ignore", "ipc"],
    });
    const giveUp = (): void => void child.kill("SIGKILL");
    let hangs = false;
    const timer = setTimeout(() => {
      hangs = true;
      giveUp();
    }, answerMsMax);
    unwanted.addEventListener("abort", giveUp, { once: true });
    if (unwanted.aborted) giveUp();
    const opened = new Promise<Result<Sandbox, string>>((resolve) => {
      child.once("error", (problem) => resolve(err(problem.message)));
      child.once("exit", (code, signal) =>
        resolve(err(hangs ? noAnswer : `the sandbox's process ended (${signal ?? code})`)),
      );
      child.once("message", (answer: SandboxAnswer) => {
        if (answer.type === "opened") return resolve(ok(new Sandbox(child)));
        child.disconnect();
        resolve(err(answer.type === "not-opened" ? answer.reason : "it gave an unexpected answer"));
      });
      child.send({ type: "open", policy, own } satisfies SandboxRequest);
    });
    return opened.finally(() => {
      clearTimeout(timer);
      unwanted.removeEventListener("abort", giveUp);
    });
  }

  get isLost(): boolean {
    return this.#lost !== null;
  }

  /** Returns the shell line that runs a command in the sandbox; each line needs one call of `ended`. */
  async wrap(command: string, rules: FolderRules): Promise<Result<string, string>> {
    const wrapped = await this.#ask((id) => ({ type: "wrap", id, command, rules }));
    return wrapped.ok ? ok(wrapped.value.line) : wrapped;
  }

  /**
   * Reports that a wrapped command has ended or never ran. Resolves when the sandbox has removed its files from the folder, to
   * the new names of files that it renamed: see `obeyed-files.ts`.
   */
  async ended(): Promise<readonly string[]> {
    const cleaned = await this.#ask((id) => ({ type: "ended", id }));
    return cleaned.ok ? cleaned.value.held : [];
  }

  async close(): Promise<void> {
    if (this.#lost !== null) return;
    const exited = new Promise<void>((resolve) => this.#child.once("exit", () => resolve()));
    if (this.#child.connected) this.#child.disconnect();
    const timer = setTimeout(() => this.#child.kill("SIGKILL"), closeMsMax);
    await exited;
    clearTimeout(timer);
  }

  /** Resolves to what was answered, or to the reason of a failure. */
  #ask(request: (id: number) => SandboxRequest): Promise<Result<Answered, string>> {
    if (this.#lost !== null) return Promise.resolve(err(this.#lost));
    const id = this.#nextId;
    this.#nextId += 1;
    return new Promise((resolve) => {
      // Ends a process that hangs; the next command starts another.
      const timer = setTimeout(() => {
        this.#lose(noAnswer);
        this.#child.kill("SIGKILL");
      }, answerMsMax);
      this.#waitingById.set(id, (answer) => {
        clearTimeout(timer);
        resolve(answer);
      });
      this.#child.send(request(id), (problem) => {
        if (problem !== null) this.#lose(problem.message);
      });
    });
  }

  #take(answer: SandboxAnswer): void {
    switch (answer.type) {
      case "wrapped":
        return this.#settle(answer.id, ok({ line: answer.line, held: [] }));
      case "not-wrapped":
        return this.#settle(answer.id, err(answer.reason));
      case "cleaned":
        return this.#settle(answer.id, ok({ line: "", held: answer.held }));
      case "opened":
      case "not-opened":
        return;
      default:
        return unreachable(answer);
    }
  }

  /** Ignores the answer to an abandoned request. */
  #settle(id: number, answer: Result<Answered, string>): void {
    const settle = this.#waitingById.get(id);
    this.#waitingById.delete(id);
    settle?.(answer);
  }

  #lose(reason: string): void {
    this.#lost ??= reason;
    for (const id of this.#waitingById.keys()) this.#settle(id, err(reason));
  }
}

const closeMsMax = 2_000;
