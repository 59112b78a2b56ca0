import { context, propagation } from "@opentelemetry/api";
import type { Client, Progress, Tool, Transport } from "@modelcontextprotocol/client";
import { err, ok, type Result } from "../../core/base/result.ts";
import type { Clock } from "../../core/port/platform.ts";
import type {
  ServerCall,
  ToolServer,
  ToolServerEvents,
  ToolServerFailure,
  ToolServerTimes,
} from "../../core/port/tool-server.ts";
import type { FilledPrompt, ResourceContent, ServerOffers } from "../../core/tool/server/server-offers.ts";
import type { ServerResult, ServerTool } from "../../core/tool/server/server-tool.ts";
import type { AskingServer, SignsOfLife } from "./asking-server.ts";
import { failure, failureOf } from "./failure.ts";
import { offersMax, readContents, readFilledPrompt, readServerPrompt, readServerResource } from "./read-offers.ts";
import { readServerResult, readServerTool, toolsMax } from "./read-server.ts";

/** Disables the package's own time limits: the host's clock decides. */
export const never = { timeout: 2_147_483_647 };

export interface Connection {
  readonly client: Client;
  readonly transport: Transport & { readonly ended?: ToolServerFailure | null; terminateSession?(): Promise<void> };
  readonly clock: Clock;
  readonly times: ToolServerTimes;
  readonly events: ToolServerEvents;
  /** Answers what the server asks of people. */
  readonly asking: AskingServer;
}

/** An MCP server whose handshake is done, over the package's client. */
export class ConnectedServer implements ToolServer {
  readonly #connection: Connection;
  readonly #asking: AskingServer;
  /** The tools as received; the package sends what a definition asks for. */
  #rawToolsByName: ReadonlyMap<string, Tool> = new Map();

  #isEnded = false;

  constructor(connection: Connection) {
    this.#connection = connection;
    this.#asking = connection.asking;
    const { client, transport, events } = connection;
    const onclose = (): void => {
      if (!this.#isEnded) events.onClosed(transport.ended ?? failure("closed", "it closed the connection", true));
      this.#isEnded = true;
    };
    // The package takes callbacks and emits no events.
    Object.assign(client, { onclose });
  }

  async listTools(): Promise<Result<readonly ServerTool[], ToolServerFailure>> {
    const { client, events, times } = this.#connection;
    if (client.getServerCapabilities()?.tools === undefined) return ok([]);
    const listed = await this.#bounded(times.connectMs, null, (signal) =>
      client.listTools(undefined, { ...never, signal, cacheMode: "refresh" }),
    );
    if (!listed.ok) return listed;
    const tools = new Map<string, ServerTool>();
    const raw = new Map<string, Tool>();
    for (const tool of listed.value.tools.slice(0, toolsMax)) {
      const read = readServerTool(tool);
      if (typeof read === "string") events.onNoise(`[tools] left out: ${read}\n`);
      else if (tools.has(read.name)) events.onNoise(`[tools] left out: a second ${read.name.slice(0, 80)}\n`);
      else {
        tools.set(read.name, read);
        raw.set(read.name, withoutOutputSchema(tool));
      }
    }
    const more = listed.value.tools.length - toolsMax;
    if (more > 0) events.onNoise(`[tools] left out: ${more} tools beyond the first ${toolsMax}\n`);
    this.#rawToolsByName = raw;
    return ok([...tools.values()]);
  }

  async call({
    tool,
    parameters,
    signal,
    progress,
    ask,
  }: ServerCall): Promise<Result<ServerResult, ToolServerFailure>> {
    const { client, times } = this.#connection;
    // Always passed: without it, the package would compile an untrusted schema into code to check results.
    const toolDefinition = this.#rawToolsByName.get(tool) ?? { name: tool, inputSchema: { type: "object" } };
    const named = { name: tool, arguments: { ...parameters } };
    const answered = await this.#bounded(times.callMs, signal, (aborted, life) =>
      this.#asking.during({ progress, life, signal: aborted, ...(ask && { ask }) }, (more) =>
        client.callTool(
          { ...named, ...more, ...traceMeta() },
          {
            ...never,
            signal: aborted,
            allowInputRequired: true,
            onprogress(update) {
              life.sign();
              progress(progressWords(update));
            },
            toolDefinition,
          },
        ),
      ),
    );
    if (!answered.ok) return answered;
    return unlessGarbled(readServerResult(answered.value));
  }

  async listOffers(): Promise<Result<ServerOffers, ToolServerFailure>> {
    const { client, times } = this.#connection;
    const { resources, prompts } = client.getServerCapabilities() ?? {};
    const listed = await this.#bounded(times.connectMs, null, async (signal) => {
      const options = { ...never, signal };
      const found = resources === undefined ? [] : (await client.listResources(undefined, options)).resources;
      const asked = prompts === undefined ? [] : (await client.listPrompts(undefined, options)).prompts;
      return { resources: found.slice(0, offersMax), prompts: asked.slice(0, offersMax) };
    });
    if (!listed.ok) return listed;
    return ok({
      resources: listed.value.resources.flatMap((each) => readServerResource(each) ?? []),
      prompts: listed.value.prompts.flatMap((each) => readServerPrompt(each) ?? []),
    });
  }

  async read(uri: string): Promise<Result<readonly ResourceContent[], ToolServerFailure>> {
    const { client, times } = this.#connection;
    const answered = await this.#bounded(times.callMs, null, (signal) =>
      client.readResource({ uri }, { ...never, signal, cacheMode: "refresh" }),
    );
    return answered.ok ? unlessGarbled(readContents(answered.value)) : answered;
  }

  async prompt(
    name: string,
    values: Readonly<Record<string, string>>,
  ): Promise<Result<FilledPrompt, ToolServerFailure>> {
    const { client, times } = this.#connection;
    const answered = await this.#bounded(times.callMs, null, (signal) =>
      client.getPrompt({ name, arguments: { ...values } }, { ...never, signal }),
    );
    return answered.ok ? unlessGarbled(readFilledPrompt(answered.value)) : answered;
  }

  async close(): Promise<void> {
    const { client, transport, clock } = this.#connection;
    this.#isEnded = true;
    if (transport.terminateSession !== undefined) {
      // Tells the server that the session ends, and waits for that only briefly.
      const waited = new Promise<void>((resolve) => void clock.setTimer(300, resolve));
      await Promise.race([transport.terminateSession().catch(() => {}), waited]);
    }
    await client.close().catch(() => {});
    await transport.close().catch(() => {});
  }

  /**
   * Runs one request until it is done, its signal aborts, or its time is up: `quietMs` without a sign of life, or the
   * longest that a call may take. In each case the server is notified and the caller does not wait.
   */
  #bounded<Value>(
    quietMs: number,
    signal: AbortSignal | null,
    work: (signal: AbortSignal, life: SignsOfLife) => Promise<Value>,
  ): Promise<Result<Value, ToolServerFailure>> {
    const { clock, times, transport } = this.#connection;
    if (signal?.aborted === true) return Promise.resolve(err(cancelled));
    const aborting = new AbortController();
    return new Promise((resolve) => {
      let cancelQuiet = (): void => {};
      const end = (result: Result<Value, ToolServerFailure>): void => {
        cancelQuiet();
        cancelLongest();
        signal?.removeEventListener("abort", onAbort);
        resolve(result);
        aborting.abort("stopped");
      };
      const late = (ms: number): void =>
        end(err(failure("timeout", `it gave no answer within ${Math.round(ms / 1000)} seconds`, true)));
      const alive = (): void => {
        cancelQuiet();
        cancelQuiet = clock.setTimer(quietMs, () => late(quietMs));
      };
      const longestMs = Math.max(quietMs, times.callMsMax);
      const cancelLongest = clock.setTimer(longestMs, () => late(longestMs));
      const onAbort = (): void => end(err(cancelled));
      signal?.addEventListener("abort", onAbort, { once: true });
      alive();
      work(aborting.signal, { sign: alive, pause: () => cancelQuiet() }).then(
        (value) => end(ok(value)),
        (problem: unknown) => end(err(transport.ended ?? failureOf(problem))),
      );
    });
  }
}

function unlessGarbled<Value>(value: Value | null): Result<Value, ToolServerFailure> {
  return value === null ? err(failure("garbled", "its answer does not follow the protocol", true)) : ok(value);
}

const cancelled = failure("cancelled", "the call was cancelled", false);

/** Returns the `_meta` by which a server's spans join ours; none without an OpenTelemetry SDK in the process. */
function traceMeta(): { readonly _meta?: Record<string, string> } {
  const carrier: Record<string, string> = {};
  propagation.inject(context.active(), carrier);
  return Object.keys(carrier).length === 0 ? {} : { _meta: carrier };
}

/** The package would refuse results that do not match their output schema, even when their text is usable. */
function withoutOutputSchema({ outputSchema: _unused, ...tool }: Tool): Tool {
  return tool;
}

function progressWords({ progress, total, message }: Progress): string {
  const counted = total === undefined ? `${progress}` : `${progress} of ${total}`;
  return message === undefined || message === "" ? `${counted}\n` : `${message.slice(0, 2_000)} (${counted})\n`;
}
