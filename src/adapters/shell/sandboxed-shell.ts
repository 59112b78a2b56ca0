import { mkdir, mkdtemp, realpath } from "node:fs/promises";
import { homedir, release, tmpdir } from "node:os";
import { delimiter, join } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { refusal, type Refusal } from "../../core/base/errors.ts";
import { reasonOf } from "../../core/base/reason.ts";
import { err, ok, type Result } from "../../core/base/result.ts";
import type { Clock } from "../../core/port/platform.ts";
import { commandBytesMax, type CommandEnd, type CommandRun, type Shell } from "../../core/port/shell.ts";
import { commandMemoryMax, commandVariable, limitedRunner } from "./command-limits.ts";
import { killTree, spawnGroup } from "./process-tree.ts";
import { removeFolder } from "./remove-folder.ts";
import { commandEnvironment } from "./sandbox-environment.ts";
import { folderRules, makeHooksFolder, sandboxPolicy, type SandboxPlace } from "./sandbox-policy.ts";
import { trustedFolders, missingSandboxReason } from "./sandbox-programs.ts";
import { Sandbox } from "./sandbox.ts";
import { watchMemory } from "./tree-memory.ts";

export interface ShellOptions {
  /** The working folder; must exist. */
  readonly folder: string;
  /** Paths that no command may read or write, even inside the folder. */
  readonly hidden: readonly string[];
  /** Returns the other folders that commands write now; programs of the sandbox are never taken from one. */
  readonly written?: () => readonly string[];
  /** Hosts that commands may connect to, such as `registry.npmjs.org` or `*.example.org:443`; none by default. */
  readonly hosts?: readonly string[];
  readonly clock: Clock;
  /** Bytes of memory that the processes of one command may use together; by default half of the machine's, at most 4 GiB. */
  readonly memoryMax?: number;
  /** The server's own environment. */
  readonly env: Readonly<Record<string, string | undefined>>;
}

/** Opens a shell whose commands run in this machine's sandbox; without a sandbox every command is refused. */
export async function openSandboxedShell(options: ShellOptions): Promise<Shell> {
  return new SandboxedShell({ ...options, folder: await realpath(options.folder) });
}

interface Ready {
  readonly sandbox: Sandbox;
  readonly place: SandboxPlace;
  readonly env: Readonly<Record<string, string>>;
}

/** Most characters of the sandbox's own words in a refusal. */
const saidMax = 300;

/** Longest wait of `close` for running commands before it ends the sandbox. Milliseconds. */
const closeMsMax = 1_000;

/** Most times that one command's sandbox is set up: each look at the folder may be out of date when another command changes it. */
const startsMax = 3;

/** The exit code of the trial command that tests whether the sandbox starts. */
const trialCode = 93;

class SandboxedShell implements Shell {
  readonly hosts: readonly string[];
  readonly #options: ShellOptions;
  /** Ends running commands. */
  readonly #closing = new AbortController();
  readonly #running = new Set<Promise<unknown>>();
  #own: string | null = null;
  #ready: Promise<Result<Ready, Refusal> | null> = Promise.resolve(null);

  constructor(options: ShellOptions) {
    this.#options = options;
    this.hosts = options.hosts ?? [];
  }

  async run(command: string, run: CommandRun): Promise<Result<CommandEnd, Refusal>> {
    const running = this.#run(command, run);
    this.#running.add(running);
    try {
      return await running;
    } finally {
      this.#running.delete(running);
    }
  }

  async close(): Promise<void> {
    this.#closing.abort();
    const ended = Promise.allSettled(this.#running);
    const waiting = new AbortController();
    await Promise.race([ended, delay(closeMsMax, null, { signal: waiting.signal })]);
    waiting.abort();
    const ready = await this.#ready;
    // Ends requests that wait for a sandbox that does not answer.
    if (ready?.ok === true) await ready.value.sandbox.close();
    await ended;
    await this.#removeOwn();
  }

  async #removeOwn(): Promise<void> {
    if (this.#own !== null) await removeFolder(this.#own);
    this.#own = null;
  }

  async #run(command: string, run: CommandRun, again = false): Promise<Result<CommandEnd, Refusal>> {
    if (run.signal.aborted || this.#closing.signal.aborted) return ok({ type: "cancelled" });
    const ready = await this.#sandbox();
    if (!ready.ok) return ready;
    const signal = AbortSignal.any([run.signal, this.#closing.signal]);
    const ended = await this.#inside(ready.value, command, { ...run, signal });
    if (ended.ok) return ended;
    // The process ended before the command started: nothing has run, so a new sandbox may run it.
    if (ready.value.sandbox.isLost && !again) return this.#run(command, run, true);
    return err(unavailable(ended.error));
  }

  /** Returns this machine's sandbox. Without one, each command tries again to open it. */
  #sandbox(): Promise<Result<Ready, Refusal>> {
    const ready = this.#ready.then((known) =>
      known?.ok === true && !known.value.sandbox.isLost ? known : this.#start(),
    );
    this.#ready = ready;
    return ready;
  }

  async #start(): Promise<Result<Ready, Refusal>> {
    const { folder, env, hidden, written = () => [] } = this.#options;
    const path = env["PATH"] ?? "";
    const { platform, arch } = process;
    const trusted = trustedFolders(path, [folder, ...written()]);
    const missing = missingSandboxReason({ platform, arch, folders: trusted, network: this.hosts.length > 0 });
    if (missing !== null) return err(refusal("SANDBOX_UNAVAILABLE", {}, missing));
    if (folder === "/")
      return err(unavailable("the working folder is the whole disk. Start Heddle with another folder"));
    try {
      await this.#removeOwn();
      const own = await privateFolder();
      this.#own = own;
      const home = homedir();
      const place: SandboxPlace = {
        folder,
        own: join(own, "commands"),
        sockets: join(own, "sandbox"),
        home,
        path,
        trusted,
        hidden,
        hosts: this.hosts,
        asRoot: process.geteuid?.() === 0,
      };
      const policy = sandboxPolicy(place);
      const within = commandEnvironment(env, { home, own: join(own, "commands") });
      const host = { ...within, PATH: trusted.join(delimiter), HOME: home, TMPDIR: join(own, "sandbox") };
      const opened = await Sandbox.open({ policy, folder, own, env: host, signal: this.#closing.signal });
      if (!opened.ok) return err(unavailable(opened.error));
      const ready = { sandbox: opened.value, place, env: within };
      const refused = await this.#trial(ready);
      if (refused === null) return ok(ready);
      await opened.value.close();
      return err(refused);
    } catch (problem) {
      return err(unavailable(reasonOf(problem)));
    }
  }

  /** Runs a trial command. When the system forbids the sandbox, its own message says why. */
  async #trial(ready: Ready): Promise<Refusal | null> {
    let said = "";
    const ended = await this.#inside(ready, `exit ${trialCode}`, {
      timeLimitMs: 10_000,
      signal: this.#closing.signal,
      onOutput(text) {
        said += text;
      },
    });
    if (!ended.ok) return unavailable(ended.error);
    const { value } = ended;
    if (value.type === "exited" && value.code === trialCode) return null;
    return unavailable(said.trim() === "" ? value.type : said.trim().slice(0, saidMax));
  }

  async #inside({ sandbox, place, env }: Ready, command: string, run: CommandRun): Promise<Result<CommandEnd, string>> {
    const { clock, folder, written = () => [], memoryMax = commandMemoryMax() } = this.#options;
    if (run.signal.aborted) return ok({ type: "cancelled" });
    const stillTrusted = trustedFolders(place.trusted.join(delimiter), [folder, ...written()]);
    const exposed = place.trusted.find((each) => !stillTrusted.includes(each));
    // A folder was added since: what the sandbox is made of may have been replaced there.
    if (exposed !== undefined) return err(exposedPrograms(exposed));
    const within = { ...env, [commandVariable]: command };
    for (let start = 1; ; start += 1) {
      makeHooksFolder(folder);
      const line = await sandbox.wrap(limitedRunner(release()), folderRules(place));
      if (!line.ok) return line;
      try {
        const followed = await follow(line.value, { folder, env: within, run, clock, memoryMax });
        // Nothing of the command has run. What the sandbox was to protect may have gone since the look at the folder.
        if (followed.ok || start === startsMax || run.signal.aborted) return followed;
      } finally {
        const held = await sandbox.ended();
        if (held.length > 0) run.onHeld?.(held);
      }
    }
  }
}

interface Followed {
  readonly folder: string;
  readonly env: Readonly<Record<string, string>>;
  readonly run: CommandRun;
  readonly clock: Clock;
  readonly memoryMax: number;
}

/**
 * Runs a shell line until it ends or is aborted. Resolves when every process that it started has exited, to what was said
 * instead where the line ended by itself before the command began.
 */
function follow(line: string, { folder, env, run, clock, memoryMax }: Followed): Promise<Result<CommandEnd, string>> {
  const { timeLimitMs, onOutput, signal } = run;
  if (signal.aborted) return Promise.resolve(ok({ type: "cancelled" }));
  const child = spawnGroup(line, { folder, env });
  return new Promise((resolve) => {
    let ours: CommandEnd | null = null;
    let killing: Promise<void> | null = null;
    let bytes = 0;
    let began = false;
    /** What the sandbox says before the command begins; the news that it began may come after the command's first words. */
    let saidBefore = "";
    const say = (text: string): void => {
      if (began) onOutput(text);
      else saidBefore += text;
    };
    child.stdio[3]?.once("data", () => {
      began = true;
      if (ours === null && saidBefore !== "") onOutput(saidBefore);
    });
    const end = (why: CommandEnd): void => {
      ours ??= why;
      if (child.pid !== undefined) killing ??= killTree(child.pid);
    };
    const stopWatching =
      child.pid === undefined
        ? () => {}
        : watchMemory(child.pid, { bytesMax: memoryMax, clock, onTooMuch: () => end({ type: "out-of-memory" }) });
    const cancelTimer = clock.setTimer(timeLimitMs, () => end({ type: "timed-out" }));
    const cancel = (): void => end({ type: "cancelled" });
    signal.addEventListener("abort", cancel, { once: true });
    const done = (ended: Result<CommandEnd, string>): void => {
      cancelTimer();
      stopWatching();
      signal.removeEventListener("abort", cancel);
      resolve(ended);
    };
    for (const stream of [child.stdout, child.stderr]) {
      const decoder = new TextDecoder();
      stream?.on("data", (chunk: Buffer) => {
        if (ours !== null) return;
        bytes += chunk.length;
        if (bytes > commandBytesMax) return end({ type: "flooded" });
        say(decoder.decode(chunk, { stream: true }));
      });
      stream?.on("end", () => {
        const rest = decoder.decode();
        if (ours === null && rest !== "") say(rest);
      });
    }
    child.once("error", (problem) => done(err(problem.message)));
    child.once("close", (code, signalled) => {
      if (!began && ours === null)
        return done(err(saidBefore.trim().slice(0, saidMax) || `it ended (${signalled ?? code})`));
      const theirs: CommandEnd =
        signalled === null ? { type: "exited", code: code ?? 0 } : { type: "signalled", signal: signalled };
      void Promise.resolve(killing).then(() => done(ok(ours ?? theirs)));
    });
  });
}

/** `commands` belongs to the commands, `sandbox` to the sandbox. */
async function privateFolder(): Promise<string> {
  const own = await realpath(await mkdtemp(join(tmpdir(), "heddle-shell-")));
  for (const folder of ["commands/home", "commands/tmp", "sandbox"]) {
    await mkdir(join(own, folder), { recursive: true, mode: 0o700 });
  }
  return own;
}

function exposedPrograms(folder: string): string {
  return `agents now write ${folder}, from which programs of the sandbox may be started. Start Heddle again, or remove that folder from Heddle`;
}

function unavailable(reason: string): Refusal {
  return refusal(
    "SANDBOX_UNAVAILABLE",
    { reason },
    `Heddle cannot run commands, because the sandbox does not start: ${reason}`,
  );
}
