import type {
  ClientCapabilities,
  ContentBlock,
  RequestPermissionRequest,
  RequestPermissionResponse,
  SessionNotification,
  SessionUpdate,
} from "@agentclientprotocol/sdk/unstable";
import { client as clientApp, methods, ndJsonStream } from "../../../adapters/acp/acp-package.ts";
import type { Refusal } from "../../../core/base/errors.ts";
import { ok, type Result } from "../../../core/base/result.ts";
import type { HeddleClient } from "../../../client/base/types.ts";
import { connectTestClient, until } from "../../../testing/test-client.ts";
import { startTestServer, type TestServer } from "../../../testing/test-server.ts";
import { scriptedCatalogue, type Script } from "../chat/chat.test-support.ts";
import { uploadBlob } from "../start/upload-blob.ts";
import { agentDoor, type DoorServer } from "./agent-door.ts";

/** What a scripted editor does when it is asked. */
export interface EditorScript {
  readonly permission?: (asked: RequestPermissionRequest, signal: AbortSignal) => Promise<RequestPermissionResponse>;
  /** The editor's buffers by path; absent: it does not share them. */
  readonly buffers?: Map<string, string>;
  readonly capabilities?: ClientCapabilities;
  readonly elicit?: (params: unknown) => unknown;
}

const closers: (() => Promise<void>)[] = [];

/** Closes everything that a test opened; for `afterEach`. */
export async function closeDoors(): Promise<void> {
  for (const close of closers.splice(0).toReversed()) await close();
}

export interface AcpWorld {
  readonly server: TestServer;
  readonly heddle: HeddleClient;
}

/** Starts a server whose model follows a script. */
export async function acpWorld(script: Script, filesFolder?: string): Promise<AcpWorld> {
  const { catalogue } = scriptedCatalogue(script);
  const server = await startTestServer({
    catalogue,
    welcome: false,
    ...(filesFolder === undefined ? {} : { filesFolder }),
  });
  closers.push(() => server.close());
  const heddle = await connected(server);
  return { server, heddle };
}

async function connected(server: TestServer): Promise<HeddleClient> {
  const client = connectTestClient(server);
  closers.push(async () => client.close());
  await until(client.state, ({ type }) => type === "live");
  await until(client.workspace, (workspace) => workspace !== null);
  return client;
}

/** The two ends of a line: what is written at one is read at the other. */
export function lines() {
  const there = new TransformStream<Uint8Array, Uint8Array>();
  const back = new TransformStream<Uint8Array, Uint8Array>();
  return {
    editor: { output: there.writable, input: back.readable },
    door: { output: back.writable, input: there.readable },
  };
}

/** Opens the door over a line to a server, or to what takes its place. */
export async function openDoor(
  to: TestServer | (() => Promise<Result<DoorServer, Refusal>>),
  end: ReturnType<typeof lines>["door"],
) {
  let drawn = 0;
  const reach =
    typeof to === "function"
      ? to
      : async (): Promise<Result<DoorServer, Refusal>> => {
          const client = await connected(to);
          return ok({ client, upload: (bytes) => uploadBlob(to, bytes) });
        };
  const door = agentDoor({
    reach,
    version: "1.2.3",
    setTimer: (delayMs, callback) => {
      const timer = setTimeout(callback, delayMs);
      return () => clearTimeout(timer);
    },
    draw: () => `f${(drawn += 1)}`,
  });
  const connection = door.connect(ndJsonStream(end.output, end.input));
  closers.push(async () => connection.close());
  return connection;
}

/** A scripted editor, connected to a door. */
export async function openEditor(
  to: Parameters<typeof openDoor>[0],
  { permission, buffers, capabilities = {}, elicit }: EditorScript = {},
) {
  const line = lines();
  await openDoor(to, line.door);
  const updates: SessionNotification[] = [];
  const waiting = new Set<() => void>();
  const withdrawn: unknown[] = [];
  const app = clientApp({ name: "scripted editor" })
    .onNotification(methods.client.session.update, ({ params }) => {
      updates.push(params);
      for (const wake of waiting) wake();
    })
    .onRequest(methods.client.session.requestPermission, async ({ params, signal }) => {
      signal.addEventListener("abort", () => withdrawn.push(params.toolCall.toolCallId));
      return permission === undefined ? { outcome: { outcome: "cancelled" } } : permission(params, signal);
    })
    .onRequest(methods.client.fs.readTextFile, ({ params: { path } }) => {
      const content = buffers?.get(path);
      if (content === undefined) throw new Error("no such buffer");
      return { content };
    })
    .onRequest(methods.client.fs.writeTextFile, ({ params: { path, content } }) => {
      buffers?.set(path, content);
      return {};
    })
    .onRequest(methods.client.elicitation.create, ({ params }) => elicit?.(params) as never);
  const connection = app.connect(ndJsonStream(line.editor.output, line.editor.input));
  closers.push(async () => connection.close());
  const fs = buffers === undefined ? {} : { fs: { readTextFile: true, writeTextFile: true } };
  const { agent } = connection;
  const started = await agent.request(methods.agent.initialize, {
    protocolVersion: 1,
    clientCapabilities: { ...fs, ...capabilities },
  });
  return {
    agent,
    started,
    updates,
    withdrawn,
    close: () => connection.close(),
    prompt: (sessionId: string, text: string | ContentBlock[]) =>
      agent.request(methods.agent.session.prompt, {
        sessionId,
        prompt: typeof text === "string" ? [{ type: "text", text }] : text,
      }),
    /** Resolves when the updates so far match. */
    seen: (fits: (all: readonly SessionUpdate[]) => boolean): Promise<void> =>
      new Promise((resolve, reject) => {
        const timer = setTimeout(() => reject(new Error(`not seen in ${JSON.stringify(updates)}`)), 10_000);
        const look = (): void => {
          if (!fits(updates.map(({ update }) => update))) return;
          clearTimeout(timer);
          waiting.delete(look);
          resolve();
        };
        waiting.add(look);
        look();
      }),
    /** The text of the chunks of one kind. */
    said: (kind: "agent_message_chunk" | "agent_thought_chunk" | "user_message_chunk", from = 0): string =>
      updates
        .slice(from)
        .map(({ update }) =>
          update.sessionUpdate === kind && update.content.type === "text" ? update.content.text : "",
        )
        .join(""),
  };
}
