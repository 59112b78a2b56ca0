import type { Refusal } from "../../core/base/errors.ts";
import { reasonOf } from "../../core/base/reason.ts";
import { err, ok, type Result } from "../../core/base/result.ts";
import type { Platform } from "../../core/port/platform.ts";
import type {
  ConnectToolServer,
  ServerCall,
  ToolServer,
  ToolServerEvents,
  ToolServerFailure,
} from "../../core/port/tool-server.ts";
import type { McpServerStatus } from "../../core/protocol/base/mcp-server-state.ts";
import type { ServerResult, ServerTool } from "../../core/tool/server/server-tool.ts";
import { askRefusal, callRefusal, whatToDo } from "./failure-words.ts";
import { OutputTail } from "./output-tail.ts";
import { redacted, type FoundTarget } from "./server-target.ts";
import { unfailingServer } from "./unfailing-server.ts";

/** From a server's start until it must be ready: some programs are downloaded first. Milliseconds. */
const connectMs = 60_000;
/** How long a call may run without progress, where the file names no limit; and how long in all. */
const callMsUsual = 60_000;
const callMsMax = 1_800_000;
/** How long a turn waits for a server that has just been started. */
const settleMs = 5_000;
/** The delay between attempts grows from the minimum to the maximum. */
const retryMsMin = 1_000;
const retryMsMax = 60_000;
/** After this many failed attempts in a row the server is no longer expected back. */
const attemptsExpected = 5;
/** A connection that lasts this long counts as a success. */
const steadyMs = 60_000;
/** The tools are listed at most once in this time, however often the server reports changes. */
const relistMs = 1_000;

export interface LinkOptions {
  readonly name: string;
  /** Called for each attempt, since variables may have changed. */
  readonly find: () => Result<FoundTarget, string>;
  readonly timeoutMs: number | null;
  readonly connect: ConnectToolServer;
  readonly platform: Platform;
  /** Receives the server's current tools. */
  readonly onTools: (tools: readonly ServerTool[]) => void;
}

type Link =
  | { readonly type: "connecting"; readonly giveUp: AbortController }
  | { readonly type: "ready"; readonly server: ToolServer; readonly since: number }
  | { readonly type: "failed"; readonly failure: ToolServerFailure; readonly retryAt: number | null };

/**
 * The connection to one server while it is switched on: connects, lists the tools when they change, and reconnects after
 * growing delays. Nothing that the server does reaches beyond this class.
 */
export class ServerLink {
  readonly output = new OutputTail();
  readonly #options: LinkOptions;
  readonly #settled = Promise.withResolvers<void>();
  #link: Link = { type: "failed", failure: notStarted, retryAt: null };
  #secrets: readonly string[] = [];
  #attempts = 0;
  #isClosed = false;
  #cancelRetry = (): void => {};
  #cancelRelist = (): void => {};
  #isRelisting = false;
  #relistAgain = false;
  #connecting: Promise<void> = Promise.resolve();
  #ended: Promise<unknown> = Promise.resolve();

  constructor(options: LinkOptions) {
    this.#options = options;
    const cancel = options.platform.clock.setTimer(settleMs, () => this.#settled.resolve());
    void this.#settled.promise.then(cancel);
    this.#tryNow();
  }

  get status(): McpServerStatus {
    const link = this.#link;
    switch (link.type) {
      case "connecting":
      case "ready":
        return { type: link.type };
      case "failed": {
        const { failure, retryAt } = link;
        return { type: "failed", reason: this.#clean(failure.message), next: whatToDo(failure), retryAt };
      }
    }
  }

  /** Whether the server refused Heddle's credentials, or the lack of them. */
  get isRefused(): boolean {
    return this.#link.type === "failed" && this.#link.failure.type === "not-let-in";
  }

  /** Resolves when the first attempt has succeeded, failed or timed out. */
  get settled(): Promise<void> {
    return this.#settled.promise;
  }

  /** The server's output for people, without secrets. */
  get written(): string {
    return this.#clean(this.output.text);
  }

  /** Whether the server may soon be back: its tools are still offered then. */
  get isExpected(): boolean {
    const link = this.#link;
    return link.type !== "failed" || (link.retryAt !== null && this.#attempts <= attemptsExpected);
  }

  /** Calls `whyNot` whenever the server may have changed while the call waited for it. */
  async call(call: ServerCall, whyNot: () => Refusal | null): Promise<Result<ServerResult, Refusal>> {
    if (this.#link.type !== "ready" && this.isExpected) await this.#reconnected(call.signal);
    const refused = whyNot();
    if (refused !== null) return err(refused);
    const first = await this.#callOnce(call);
    // A server that has dropped the session has not run the call.
    if (first.ok || first.error.type !== "not-found") return this.#withoutSecrets(first);
    await this.#reconnected(call.signal);
    const refusedNow = whyNot();
    return refusedNow === null ? this.#withoutSecrets(await this.#callOnce(call)) : err(refusedNow);
  }

  /** Asks the connected server something for a person; its failure is a refusal. */
  async ask<Value>(
    question: (server: ToolServer) => Promise<Result<Value, ToolServerFailure>>,
  ): Promise<Result<Value, Refusal>> {
    const link = this.#link;
    const answer =
      link.type === "ready" ? await question(link.server) : err({ ...notConnected, message: this.#whyNot(link) });
    if (answer.ok) return answer;
    return err(askRefusal(this.#options.name, { ...answer.error, message: this.#clean(answer.error.message) }));
  }

  async close(): Promise<void> {
    this.#isClosed = true;
    this.#settled.resolve();
    this.#cancelRetry();
    this.#cancelRelist();
    const link = this.#link;
    if (link.type === "connecting") link.giveUp.abort();
    if (link.type === "ready") await link.server.close();
    await this.#ended;
  }

  async #callOnce(call: ServerCall): Promise<Result<ServerResult, ToolServerFailure>> {
    const link = this.#link;
    if (link.type !== "ready") return err({ ...notConnected, message: this.#whyNot(link) });
    const result = await link.server.call({ ...call, progress: (text) => call.progress(this.#clean(text)) });
    if (!result.ok && ["unreachable", "not-let-in", "not-found"].includes(result.error.type))
      this.#lost(link.server, result.error);
    return result;
  }

  #whyNot(link: Exclude<Link, { readonly type: "ready" }>): string {
    return link.type === "failed"
      ? `the server is not connected: ${this.#clean(link.failure.message)}`
      : "the server is still connecting";
  }

  #withoutSecrets(result: Result<ServerResult, ToolServerFailure>): Result<ServerResult, Refusal> {
    if (result.ok) return ok(withoutSecrets(result.value, (text) => this.#clean(text)));
    const failure = { ...result.error, message: this.#clean(result.error.message) };
    return err(callRefusal(this.#options.name, failure));
  }

  /** Waits for an attempt; starts it now where none is running. */
  async #reconnected(signal: AbortSignal): Promise<void> {
    if (this.#link.type === "failed") this.#tryNow();
    const { promise: stopped, resolve } = Promise.withResolvers<void>();
    signal.addEventListener("abort", () => resolve(), { once: true });
    if (signal.aborted) resolve();
    await Promise.race([this.#connecting, stopped]);
  }

  #tryNow(): void {
    this.#cancelRetry();
    this.#connecting = this.#connect();
  }

  async #connect(): Promise<void> {
    const { connect, find, platform, timeoutMs } = this.#options;
    if (this.#isClosed || this.#link.type !== "failed") return;
    const giveUp = new AbortController();
    this.#link = { type: "connecting", giveUp };
    this.#attempts += 1;
    const found = find();
    if (!found.ok) {
      this.#settled.resolve();
      return this.#fail({ type: "entry", message: found.error, retryable: false });
    }
    this.#secrets = found.value.secrets;
    const callMs = timeoutMs ?? callMsUsual;
    // Events of an earlier connection of this link no longer count.
    let current: ToolServer | null = null;
    const events: ToolServerEvents = {
      onNoise: (text) => this.output.add(text),
      onToolsChanged: () => current !== null && this.#isCurrent(current) && this.#relist(current),
      onClosed: (failure) => current !== null && this.#lost(current, failure),
    };
    const attempt = connect(found.value.target, {
      times: { connectMs, callMs, callMsMax: Math.max(callMs, callMsMax) },
      clock: platform.clock,
      events,
      signal: giveUp.signal,
    }).then(async (connected) => {
      if (!connected.ok) return connected;
      const server = unfailingServer(connected.value);
      giveUp.signal.addEventListener("abort", () => void server.close(), { once: true });
      const listed = await server.listTools();
      if (listed.ok && !this.#isClosed) return ok({ server, tools: listed.value });
      await server.close();
      return listed.ok ? err(notConnected) : listed;
    });
    // A bug in Heddle or in the protocol library fails this server alone; the others continue.
    const ending = attempt.catch((problem: unknown) =>
      err({ type: "unreachable", message: reasonOf(problem), retryable: false } as const),
    );
    this.#ended = ending;
    const result = await ending;
    if (this.#isClosed) return;
    if (!result.ok) this.#fail(result.error);
    else {
      current = result.value.server;
      this.#link = { type: "ready", server: current, since: platform.clock.monotonic() };
      this.#options.onTools(result.value.tools);
    }
    this.#settled.resolve();
  }

  #isCurrent(server: ToolServer): boolean {
    return this.#link.type === "ready" && this.#link.server === server;
  }

  /** Handles a connection that ended by itself. */
  #lost(server: ToolServer, failure: ToolServerFailure): void {
    const link = this.#link;
    if (link.type !== "ready" || link.server !== server || this.#isClosed) return;
    if (this.#options.platform.clock.monotonic() - link.since >= steadyMs) this.#attempts = 0;
    this.#ended = server.close();
    this.#fail({ ...failure, retryable: true });
  }

  #fail(failure: ToolServerFailure): void {
    const { platform, name } = this.#options;
    platform.logger.warn("mcp-server-failed", { server: name, type: failure.type });
    this.#cancelRetry();
    if (!failure.retryable) {
      this.#link = { type: "failed", failure, retryAt: null };
      return;
    }
    const delayMs = Math.min(retryMsMax, retryMsMin * 2 ** Math.max(0, this.#attempts - 1));
    this.#cancelRetry = platform.clock.setTimer(delayMs, () => this.#tryNow());
    this.#link = { type: "failed", failure, retryAt: platform.clock.now() + delayMs };
  }

  #relist(server: ToolServer): void {
    if (this.#isRelisting) {
      this.#relistAgain = true;
      return;
    }
    this.#isRelisting = true;
    this.#relistAgain = false;
    void server.listTools().then((listed) => {
      if (listed.ok && this.#isCurrent(server)) this.#options.onTools(listed.value);
      this.#cancelRelist = this.#options.platform.clock.setTimer(relistMs, () => {
        this.#isRelisting = false;
        if (this.#relistAgain && this.#link.type === "ready") this.#relist(this.#link.server);
      });
    });
  }

  #clean(text: string): string {
    return redacted(text, this.#secrets);
  }
}

const notStarted: ToolServerFailure = { type: "unreachable", message: "it was not started yet", retryable: true };
const notConnected: ToolServerFailure = { type: "unreachable", message: "it is not connected", retryable: true };

function withoutSecrets(result: ServerResult, clean: (text: string) => string): ServerResult {
  const content = result.content.map((part) => {
    if (part.type === "text") return { ...part, text: clean(part.text) };
    if (part.type !== "resource" || !("text" in part.content)) return part;
    return { ...part, content: { text: clean(part.content.text) } };
  });
  if (result.structured === undefined) return { ...result, content };
  const said = JSON.stringify(result.structured);
  const cleaned = clean(said);
  return { ...result, content, structured: cleaned === said ? result.structured : cleaned };
}
