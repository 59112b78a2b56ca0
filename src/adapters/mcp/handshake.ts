import { err, ok, type Result } from "../../core/base/result.ts";
import type {
  ConnectToolServer,
  ToolServer,
  ToolServerFailure,
  ToolServerTarget,
} from "../../core/port/tool-server.ts";
import { Client, StreamableHTTPClientTransport } from "./client-package.ts";
import { AskingServer } from "./asking-server.ts";
import { ConnectedServer, never, type Connection } from "./connected-server.ts";
import { failure, failureOf } from "./failure.ts";
import type { RunningPrograms } from "./running-programs.ts";
import { signedIn } from "./sign-in.ts";
import { StdioTransport } from "./stdio-transport.ts";

/** Milliseconds between two attempts to listen for a server's notifications over HTTP. */
const newsMs = 5_000;

type Options = Parameters<ConnectToolServer>[1] & { readonly version: string; readonly programs?: RunningPrograms };

/**
 * Performs the handshake with a server. Over stdio, tries the protocol that every server knows and then the newer one if
 * that is refused; over HTTP, the package negotiates by itself.
 */
export async function shakeHandsWith(
  target: ToolServerTarget,
  options: Options,
): Promise<Result<ToolServer, ToolServerFailure>> {
  const first = await attempt(target, options, target.type === "stdio" ? "legacy" : "auto");
  if (first.ok || target.type === "http" || first.error.type !== "refused" || options.signal.aborted) return first;
  const second = await attempt(target, options, "auto");
  return second.ok ? second : first;
}

async function attempt(
  target: ToolServerTarget,
  options: Options,
  mode: "legacy" | "auto",
): Promise<Result<ToolServer, ToolServerFailure>> {
  const { times, clock, events, signal } = options;
  const client = new Client(
    { name: "heddle", version: options.version },
    {
      versionNegotiation: { mode, probe: { timeoutMs: times.connectMs } },
      capabilities: { elicitation: { form: {}, url: {} } },
      // What a server asks in its answer belongs to the call that it answers, so it is answered there.
      inputRequired: { autoFulfill: false },
      listChanged: { tools: { autoRefresh: false, debounceMs: 0, onChanged: () => events.onToolsChanged() } },
    },
  );
  const transport = transportTo(target, options);
  const asking = new AskingServer();
  client.setRequestHandler("elicitation/create", (request) => asking.asked(request.params));
  const connection: Connection = { client, transport, clock, times, events, asking };
  const connected = await shakeHands(connection, signal);
  if (!connected.ok) {
    await transport.close().catch(() => {});
    return connected;
  }
  return ok(new ConnectedServer(connection));
}

function transportTo(target: ToolServerTarget, { events, programs }: Options): Connection["transport"] {
  if (target.type === "stdio") {
    const remembered = programs === undefined ? {} : { programs };
    return new StdioTransport({ ...target, ...remembered, onNoise: (text) => events.onNoise(text) });
  }
  return new StreamableHTTPClientTransport(new URL(target.url), {
    ...signedIn(target),
    requestInit: { headers: { ...target.headers } },
    // Headers hold tokens, so they are sent only to the origin that the owner configured.
    redirectPolicy: "same-origin",
    reconnectionOptions: {
      initialReconnectionDelay: newsMs,
      maxReconnectionDelay: 60_000,
      reconnectionDelayGrowFactor: 2,
      maxRetries: 5,
    },
  });
}

async function shakeHands(
  { client, transport, clock, times }: Connection,
  signal: AbortSignal,
): Promise<Result<void, ToolServerFailure>> {
  if (signal.aborted) return err(failure("cancelled", "the connection was cancelled", false));
  return new Promise((resolve) => {
    const give = (result: Result<void, ToolServerFailure>): void => {
      cancelTimer();
      signal.removeEventListener("abort", onAbort);
      resolve(result);
    };
    const onAbort = (): void => give(err(failure("cancelled", "the connection was cancelled", false)));
    const cancelTimer = clock.setTimer(times.connectMs, () =>
      give(err(failure("timeout", `it was not ready within ${Math.round(times.connectMs / 1000)} seconds`, true))),
    );
    signal.addEventListener("abort", onAbort, { once: true });
    client.connect(transport, { ...never, signal }).then(
      () => give(ok(undefined)),
      (problem: unknown) => give(err(transport.ended ?? failureOf(problem))),
    );
  });
}
