import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";

/** A server process's message once it listens. */
export interface Listening {
  readonly port: number;
  /** Names of the rooms, as its clients request them. */
  readonly rooms: readonly string[];
  readonly token: string;
  /** The file of its acknowledged changes; absent if it keeps none. */
  readonly file?: string;
}

/**
 * The resources a server process has used since its start. CPU in milliseconds, of all its threads; memory in bytes.
 */
export interface Used {
  readonly cpuMs: number;
  /** The same after the collection that the memory measurement needs, which is not the server's work. */
  readonly answeredCpuMs: number;
  /** Both of its main thread alone. */
  readonly mainCpuMs: number;
  readonly answeredMainCpuMs: number;
  readonly heapBytes: number;
  readonly rssBytes: number;
}

/** Messages between a bench and its processes: each question has one kind of answer. */
type Question = { readonly ask: "used" } | { readonly ask: "stop" } | { readonly ask: "go" };

/** In a server process: reports that it listens, and answers questions about its resources. */
export function serveBench(listening: Listening, stop: () => Promise<void>): void {
  process.on("message", (question: Question) => {
    if (question.ask === "used") {
      const cpuMs = usedCpuMs();
      const mainCpuMs = inMs(process.threadCpuUsage());
      // A second collection frees what a first one finalises.
      globalThis.gc?.();
      globalThis.gc?.();
      const { heapUsed, rss } = process.memoryUsage();
      const answered = { answeredCpuMs: usedCpuMs(), answeredMainCpuMs: inMs(process.threadCpuUsage()) };
      const used: Used = { cpuMs, mainCpuMs, ...answered, heapBytes: heapUsed, rssBytes: rss };
      process.send?.(used);
    } else if (question.ask === "stop") {
      void stop().finally(() => process.exit(0));
    }
  });
  process.on("disconnect", () => process.exit(0));
  process.send?.(listening);
}

function usedCpuMs(): number {
  return inMs(process.cpuUsage());
}

function inMs({ user, system }: NodeJS.CpuUsage): number {
  return (user + system) / 1000;
}

/** A process of the bench. */
export class BenchChild<Hello> {
  readonly hello: Hello;
  readonly #child: ChildProcess;

  private constructor(child: ChildProcess, hello: Hello) {
    this.#child = child;
    this.hello = hello;
  }

  /** Starts a module of this folder and waits until it reports that it is ready. */
  static async start<Hello>(module: string, args: readonly string[]): Promise<BenchChild<Hello>> {
    const child = fork(fileURLToPath(new URL(module, import.meta.url)), args, {
      execArgv: ["--expose-gc", "--no-warnings"],
      stdio: ["ignore", "ignore", "inherit", "ipc"],
      env: { ...process.env, NODE_ENV: "production" },
    });
    const [hello] = (await Promise.race([once(child, "message"), failed(child)])) as [Hello];
    return new BenchChild(child, hello);
  }

  used(): Promise<Used> {
    return this.ask<Used>({ ask: "used" });
  }

  async ask<Answer>(question: Question): Promise<Answer> {
    const over = new AbortController();
    const { signal } = over;
    const answer = Promise.race([once(this.#child, "message", { signal }), failed(this.#child, signal)]);
    this.#child.send(question);
    try {
      return ((await answer) as [Answer])[0];
    } finally {
      over.abort();
    }
  }

  /** Ends a process that has nothing to close. */
  async end(): Promise<void> {
    const ended = once(this.#child, "exit");
    this.#child.kill("SIGKILL");
    await ended;
  }

  async stop(): Promise<void> {
    const ended = once(this.#child, "exit");
    this.#child.send({ ask: "stop" } satisfies Question);
    const late = setTimeout(() => this.#child.kill("SIGKILL"), 5_000);
    await ended;
    clearTimeout(late);
  }
}

async function failed(child: ChildProcess, signal?: AbortSignal): Promise<never> {
  const [code] = (await once(child, "exit", signal === undefined ? {} : { signal })) as [number];
  throw new Error(`a process of the bench ended with ${code}`);
}
