import { fork, type ChildProcess } from "node:child_process";
import { once } from "node:events";
import { fileURLToPath } from "node:url";
import type { RunReport, RunRequest } from "./warm-vitest.ts";

const program = fileURLToPath(new URL("warm-vitest.ts", import.meta.url));

/** Keeps a warm vitest in a process of its own, and starts another one where a run does not end in time. */
export class TestWorker {
  readonly #wovenFile: string;
  #child: ChildProcess | undefined;

  constructor(wovenFile: string) {
    this.#wovenFile = wovenFile;
  }

  /** Makes a run; "timeout" where it was not over by twice its limit, which leaves tests the time to end by themselves. */
  async run(request: RunRequest): Promise<RunReport | "timeout"> {
    const child = (this.#child ??= await this.#start());
    child.send(request);
    const over = new AbortController();
    const timer = setTimeout(() => over.abort(), request.limitMs * 2);
    try {
      const [report] = (await once(child, "message", { signal: over.signal })) as [RunReport];
      return report;
    } catch {
      this.stop();
      return "timeout";
    } finally {
      clearTimeout(timer);
    }
  }

  stop(): void {
    this.#child?.kill("SIGKILL");
    this.#child = undefined;
  }

  async #start(): Promise<ChildProcess> {
    const child = fork(program, [this.#wovenFile], {
      execArgv: ["--max-old-space-size=1500"],
      // What the tests print says nothing here.
      stdio: ["ignore", "ignore", "inherit", "ipc"],
      env: { ...process.env, NO_COLOR: "1", HEDDLE_TORTURE: "1" },
    });
    await once(child, "message");
    // A process that ends in the midst of a run answers nothing: the time limit tells.
    child.on("exit", () => {
      if (this.#child === child) this.#child = undefined;
    });
    return child;
  }
}
