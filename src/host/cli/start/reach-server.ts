import { appendFileSync } from "node:fs";
import { randomBytes } from "node:crypto";
import { join } from "node:path";
import { connectHeddle } from "../../../client/connect.ts";
import type { ConnectionState, HeddleClient } from "../../../client/base/types.ts";
import { refusal, type Refusal } from "../../../core/base/errors.ts";
import type { RootId } from "../../../core/base/ids.ts";
import { err, ok, type Result } from "../../../core/base/result.ts";
import { openNodeSocket } from "../../base/node-socket.ts";
import type { CommandLine } from "../base/command-line.ts";
import { isServed, runningServer, type ServerAddress } from "./running-server.ts";
import { styled, type Terminal } from "../base/terminal.ts";
import { userName } from "../base/user-name.ts";

/** The flags by which a command chooses its server. */
export const serverValues = [
  "url",
  "token",
  "data",
  "store",
  "models",
  "workspace",
  "context-window",
  "when-full",
] as const;

/** The flags of `serverValues` with which a server is started. */
const startValues = ["data", "store", "models", "workspace", "model", "context-window", "when-full"] as const;

/** The flags that only a start can honour. */
const startOnly = ["store", "models", "context-window", "when-full"] as const;

/** A connection to a server, and how to close it with everything started for it. */
export interface ReachedServer {
  readonly client: HeddleClient;
  /** Whether this process runs the server, so that the server ends with it. */
  readonly isOwn: boolean;
  /** `http://127.0.0.1:7420`. */
  readonly url: string;
  readonly token: string;
  close(): Promise<void>;
}

/** How long a server may take to accept the connection. Milliseconds. */
const welcomeMs = 10_000;

/** A server that a command line means, and how to end what was started for it. */
export interface FoundServer {
  readonly address: ServerAddress;
  /** Whether this process runs the server, so that the server ends with it. */
  readonly isOwn: boolean;
  readonly stop: () => Promise<void>;
}

/** Finds the server that a command line means, and connects to it. */
export async function reachServer(line: CommandLine, terminal: Terminal): Promise<Result<ReachedServer, Refusal>> {
  const found = await findServer(line, terminal);
  return found.ok ? connected(found.value) : found;
}

/**
 * Finds the server that a command line means: the one of `--url`; else the one that runs on the data folder, by the
 * address it stores there; else one that this process starts on that folder.
 */
export async function findServer(line: CommandLine, terminal: Terminal): Promise<Result<FoundServer, Refusal>> {
  const given = await givenAddress(line, terminal);
  if (!given.ok) return given;
  const refused = given.value === null ? null : notHonoured(line, ["data", ...startOnly], given.value.url);
  if (refused !== null) return err(refused);
  if (given.value !== null) return ok(others(given.value));
  const values = Object.fromEntries(
    startValues.flatMap((name) => {
      const value = line.values[name];
      return value === undefined ? [] : [[name, value]];
    }),
  );
  const serving = { command: "serve", values: { ...values, port: "0" }, switches: new Set<string>() };
  // A command that joins a running server needs nothing of what one consists of, which takes a second to load.
  if (await isServed(line, terminal)) return joined(line, terminal);
  const { startFromLine } = await import("./start-from-line.ts");
  const started = await startFromLine(serving, terminal, {
    logTo: (folder) => (entry) => appendFileSync(join(folder, "chat.log"), entry, { mode: 0o600 }),
  });
  if (started.ok) {
    const { server, token, stop, modelProblem } = started.value;
    if (modelProblem !== null) terminal.note(styled(terminal, "yellow", modelProblem));
    return ok({ address: { url: server.url, token }, isOwn: true, stop });
  }
  return started.error.code === "DATA_IN_USE" ? joined(line, terminal) : started;
}

/** Joins the server that runs on the data folder, unless the line says how one is to be started. */
async function joined(line: CommandLine, terminal: Terminal): Promise<Result<FoundServer, Refusal>> {
  const running = await runningServer(line, terminal);
  if (!running.ok) return running;
  const late = notHonoured(line, startOnly, running.value.url);
  return late === null ? ok(others(running.value)) : err(late);
}

function others(address: ServerAddress): FoundServer {
  return { address, isOwn: false, stop: async () => {} };
}

/** Refuses flags that a server which runs already cannot honour: they say how one is started. */
function notHonoured({ values }: CommandLine, flags: readonly string[], url: string): Refusal | null {
  const flag = flags.find((name) => values[name] !== undefined);
  if (flag === undefined) return null;
  const message = `--${flag} ${values[flag] ?? ""} cannot be honoured: the server at ${url} runs already, with its own. Leave --${flag} out, or stop that server first.`;
  return refusal("INVALID_PARAMS", { [flag]: values[flag], url }, message);
}

/** Returns the address of `--url`, with the token of `--token`, of HEDDLE_TOKEN or of the address itself. */
async function givenAddress(
  { values }: CommandLine,
  { env }: Terminal,
): Promise<Result<ServerAddress | null, Refusal>> {
  const { url: given, token: asked } = values;
  if (given === undefined) {
    if (asked === undefined) return ok(null);
    return err(refusal("INVALID_PARAMS", {}, "--token belongs to a server. Name the server with --url."));
  }
  const url = URL.parse(given);
  if (url === null || !/^https?:$/u.test(url.protocol)) {
    const message = `--url ${given} is not an address. It looks like http://127.0.0.1:7420, as the server printed it.`;
    return err(refusal("INVALID_PARAMS", { url: given }, message));
  }
  const token = asked ?? new URLSearchParams(url.hash.slice(1)).get("token") ?? env["HEDDLE_TOKEN"];
  if (token === undefined || token === "") {
    if (!(await answers(url.origin))) return err(nobodyAt(url.origin));
    const message =
      "The server asks for its token. Give the whole address that it printed, or --token, or HEDDLE_TOKEN.";
    return err(refusal("UNAUTHENTICATED", {}, message));
  }
  return ok({ url: url.origin, token });
}

async function connected({
  address: { url, token },
  isOwn,
  stop,
}: FoundServer): Promise<Result<ReachedServer, Refusal>> {
  const client = connectHeddle({
    url,
    token,
    clientId: `cli-${randomBytes(12).toString("hex")}`,
    name: userName(),
    platform: { openSocket: (at, listener) => openNodeSocket(at, listener, token) },
  });
  const close = async (): Promise<void> => {
    client.close();
    await stop();
  };
  const state = await firstAnswer(client);
  if (state.type === "live") return ok({ client, isOwn, url, token, close });
  await close();
  if (state.type === "refused") return err(refusedHere(state.refusal, url));
  return err(nobodyAt(url));
}

function nobodyAt(url: string): Refusal {
  const message = `No server answers at ${url}, and nothing was sent. Check that it is running, start it with "heddle serve", or leave --url out.`;
  return refusal("NOT_FOUND", { url }, message);
}

/** Whether anything answers at an address. */
async function answers(url: string): Promise<boolean> {
  return fetch(url, { method: "HEAD", signal: AbortSignal.timeout(welcomeMs) }).then(
    () => true,
    () => false,
  );
}

/** Rewords refusals whose usual message tells the person to reload a page. */
function refusedHere(refused: Refusal, url: string): Refusal {
  if (refused.code === "PROTOCOL_MISMATCH") {
    const message = `The server at ${url} has another version than this program. Use the program that started it, or restart the server.`;
    return { ...refused, message };
  }
  if (refused.code !== "UNAUTHENTICATED") return refused;
  return {
    ...refused,
    message: `The server at ${url} refused this token. Give the whole address that the server printed.`,
  };
}

/** Resolves with the connection's first state other than connecting: live with its data, refused, or given up. */
function firstAnswer(client: HeddleClient): Promise<ConnectionState> {
  return new Promise((resolve) => {
    const settle = (): void => {
      clearTimeout(timer);
      stopState();
      stopWorkspace();
      resolve(client.state.get());
    };
    const look = (): void => {
      const { type } = client.state.get();
      const isIn = type === "live" && client.workspace.get() !== null;
      if (isIn || type === "refused" || type === "offline") settle();
    };
    const timer = setTimeout(settle, welcomeMs);
    const stopState = client.state.subscribe(look);
    const stopWorkspace = client.workspace.subscribe(look);
    look();
  });
}

/** Returns the conversation that `--conversation` names by its id or its slug; null without the flag. */
export async function startingPlace(
  { values: { conversation } }: CommandLine,
  { client }: { readonly client: Pick<HeddleClient, "call"> },
): Promise<Result<RootId | null, Refusal>> {
  if (conversation === undefined) return ok(null);
  const found = await client.call("conversation.find", { name: conversation });
  return found.ok ? ok(found.value.id) : found;
}
