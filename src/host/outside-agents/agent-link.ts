import { Readable, Writable } from "node:stream";
import type { ClientContext, InitializeResponse } from "@agentclientprotocol/sdk/unstable";
import { client, methods, ndJsonStream, RequestError } from "../../adapters/acp/acp-package.ts";
import { startGroup } from "../../adapters/mcp/process-group.ts";
import type { RunningPrograms } from "../../adapters/mcp/running-programs.ts";
import { OutputTail } from "../mcp-servers/output-tail.ts";
import type { AgentHandlers } from "./agent-handlers.ts";
import { knownUpdates } from "./known-updates.ts";

/** The program of an agent: what is started, and where. */
export interface AgentProgram {
  readonly command: string;
  readonly args: readonly string[];
  readonly env: Readonly<Record<string, string>>;
  readonly cwd: string;
  /** Records the program while it runs. */
  readonly programs?: RunningPrograms;
}

/** A running agent that has been greeted. */
export interface AgentLink {
  readonly agent: ClientContext;
  readonly started: InitializeResponse;
  /** Whether nothing can be said to it any more. */
  readonly isClosed: () => boolean;
  /** Resolves with the reason when the agent is gone. */
  readonly lost: Promise<string>;
  /** Ends the program and every process that it started. */
  end(): Promise<void>;
}

/** The largest message of an agent. Bytes. */
const messageBytesMax = 16 * 1024 * 1024;
/** How long an agent may take to answer the greeting: some load a minute's worth of modules on a busy machine. */
const greetingMs = 60_000;

/** Starts an agent and greets it. Rejects with a sentence where it does not speak the protocol. */
export async function startAgent(program: AgentProgram, handlers: AgentHandlers, version: string): Promise<AgentLink> {
  const { command, args, ...options } = program;
  const group = startGroup(command, args, options);
  const tail = new OutputTail();
  group.child.stderr.setEncoding("utf8").on("data", (text: string) => tail.add(text));
  group.child.stdin.on("error", () => {});
  const gone = new Promise<string>((resolve) => {
    group.child.once("error", (problem) => resolve(`it could not be started: ${problem.message}`));
    group.child.once("close", (code, signal) =>
      resolve(signal === null ? `exit code ${code ?? 0}` : `signal ${signal}`),
    );
  });
  const stream = ndJsonStream(
    Writable.toWeb(group.child.stdin) as WritableStream<Uint8Array>,
    Readable.toWeb(group.child.stdout) as ReadableStream<Uint8Array>,
    { maxMessageBytes: messageBytesMax },
  );
  const connection = clientOf(handlers).connect({ ...stream, readable: stream.readable.pipeThrough(knownUpdates()) });
  const lost = Promise.race([gone, connection.closed.then(async () => wordsOf(gone))]).then((reason) => {
    void group.end();
    const said = tail.text.trim();
    return said === "" ? reason : `${reason}; it said last: ${said}`;
  });
  const end = async (): Promise<void> => {
    await group.end();
    connection.close();
  };
  const greeted = connection.agent.request(methods.agent.initialize, {
    protocolVersion: 1,
    clientInfo: { name: "heddle", title: "Heddle", version },
    clientCapabilities: {
      fs: { readTextFile: true, writeTextFile: true },
      terminal: false,
      elicitation: { form: {}, url: {} },
    },
  });
  greeted.catch(() => undefined);
  const started = await Promise.race([greeted, lost, late()]).catch((problem: unknown) => reasonOf(problem));
  if (typeof started === "string") {
    await end();
    throw new Error(`The agent ${command} did not begin: ${started}.`);
  }
  if (started.protocolVersion !== 1) {
    await end();
    const speaks = `version ${started.protocolVersion} of the protocol`;
    throw new Error(`The agent ${command} speaks ${speaks}, and Heddle version 1. No session was begun.`);
  }
  return { agent: connection.agent, started, isClosed: () => connection.signal.aborted, lost, end };
}

/** Returns Heddle as an agent's client: each request of the agent goes to its handler. */
export function clientOf(handlers: AgentHandlers) {
  return client({ name: "heddle" })
    .onNotification(methods.client.session.update, ({ params }) => handlers.update(params))
    .onRequest(methods.client.session.requestPermission, ({ params, signal }) => handlers.permission(params, signal))
    .onRequest(methods.client.elicitation.create, ({ params, signal }) => handlers.elicit(params, signal))
    .onRequest(methods.client.fs.readTextFile, ({ params }) => handlers.read(params))
    .onRequest(methods.client.fs.writeTextFile, ({ params }) => handlers.write(params));
}

/** Waits a moment for the exit of a program whose output has ended. */
function wordsOf(gone: Promise<string>): Promise<string> {
  return Promise.race([
    gone,
    new Promise<string>((resolve) => setTimeout(() => resolve("its output ended"), 1_000).unref()),
  ]);
}

function late(): Promise<string> {
  return new Promise((resolve) => setTimeout(() => resolve("it did not answer in a minute"), greetingMs).unref());
}

/** Returns what an agent's refusal says. */
export function reasonOf(problem: unknown): string {
  if (problem instanceof RequestError) return `${problem.message} (${problem.code})`;
  return problem instanceof Error ? problem.message : String(problem);
}
