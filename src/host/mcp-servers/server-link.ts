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
import type { ServerResult, ServerTool } from "../../core/tool/server-tool.ts";
import { callRefusal, whatToDo } from "./failure-words.ts";
import { OutputTail } from "./output-tail.ts";
import { redacted, type FoundTarget } from "./server-target.ts";
import { unfailingServer } from "./unfailing-server.ts";

/** From the start of a server to when it can be used: some are fetched first. Milliseconds. */
const connectMs = 60_000;
/** A call without a sign of life, where the file says nothing; and a call in all. */
const callMsUsual = 60_000;
const callMsMax = 1_800_000;
/** How long a turn waits for a server that has just been started. */
const settleMs = 5_000;
/** Waits between attempts grow from the one to the other. */
const retryMsMin = 1_000;
const retryMsMax = 60_000;
/** After so many attempts in a row a server is not expected any more. */
const attemptsExpected = 5;
/** A connection that holds for so long was a good one. */
const steadyMs = 60_000;
/** At most one look at a server's tools in this time, however often it says that they are others. */
const relistMs = 1_000;

export interface LinkOptions {
  readonly name: string;
  /** Looked up anew for each attempt. */
  readonly find: () => Result<FoundTarget, string>;
  readonly timeoutMs: number | null;
  readonly connect: ConnectToolServer;
  readonly platform: Platform;
  /** The server's tools are these now. */
  readonly onTools: (tools: readonly ServerTool[]) => void;
}

type Link =
  | { readonly type: "connecting"; readonly giveUp: AbortController }
  | { readonly type: "ready"; readonly server: ToolServer; readonly since: number }
  | { readonly type: "failed"; readonly failure: ToolServerFailure; readonly retryAt: number | null };

/**
 * One server from when it is wanted to when it is not: connects, looks at its tools when they change, connects again, ever
 * later, when the connection ends. Nothing that the server does reaches beyond this.
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

  /** Resolves when the first attempt has come to something, or has had its time. */
  get settled(): Promise<void> {
    return this.#settled.promise;
  }

  /** What the server wrote for people, without secrets. */
  get written(): string {
    return this.#clean(this.output.text);
  }

  /** Whether it may be there again soon: what it offered is offered still. */
  get isExpected(): boolean {
    const link = this.#link;
    return link.type !== "failed" || (link.retryAt !== null && this.#attempts <= attemptsExpected);
  }

  /** `whyNot` is asked whenever the server may have become another: what was waited for is not what was called. */
  async call(call: ServerCall, whyNot: () => Refusal | null): Promise<Result<ServerResult, Refusal>> {
    if (this.#link.type !== "ready" && this.isExpected) await this.#reconnected(call.signal);
    const refused = whyNot();
    if (refused !== null) return err(refused);
    const first = await this.#callOnce(call);
    // A server that has forgotten the session has not run the call.
    if (first.ok || first.error.type !== "lost-session") return this.#told(first);
    await this.#reconnected(call.signal);
    const refusedNow = whyNot();
    return refusedNow === null ? this.#told(await this.#callOnce(call)) : err(refusedNow);
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
    if (!result.ok && ["unreachable", "not-let-in", "lost-session"].includes(result.error.type))
      this.#lost(link.server, result.error);
    return result;
  }

  #whyNot(link: Exclude<Link, { readonly type: "ready" }>): string {
    return link.type === "failed"
      ? `it is not connected: ${this.#clean(link.failure.message)}`
      : "it is being connected";
  }

  #told(result: Result<ServerResult, ToolServerFailure>): Result<ServerResult, Refusal> {
    if (result.ok) return ok(withoutSecrets(result.value, (text) => this.#clean(text)));
    const failure = { ...result.error, message: this.#clean(result.error.message) };
    return err(callRefusal(this.#options.name, failure));
  }

  /** Waits for an attempt, which begins now where none is under way. */
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
    // A defect of ours, or of what speaks the protocol: this server is none, and the others go on.
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

  /** The connection has ended by itself. */
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
