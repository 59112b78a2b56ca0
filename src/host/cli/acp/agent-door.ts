import type {
  AgentContext,
  ClientCapabilities,
  InitializeRequest,
  InitializeResponse,
  NewSessionResponse,
} from "@agentclientprotocol/sdk/unstable";
import { agent, methods, RequestError } from "../../../adapters/acp/acp-package.ts";
import type { Refusal } from "../../../core/base/errors.ts";
import type { Result } from "../../../core/base/result.ts";
import type { HeddleClient } from "../../../client/base/types.ts";
import { noSession, requestError, valueOf, wrongParams } from "./acp-refusal.ts";
import type { EditorBuffers } from "./editor-files.ts";
import { conversationView, EditorSession, policyOf, type SessionPlace } from "./editor-session.ts";
import { readPrompt, type Upload } from "./prompt-content.ts";
import { folderFor, folderOf, forkId, listSessions, readSessionId, tipOf } from "./session-places.ts";
import { availableCommands, runSlash } from "./slash-commands.ts";

/** A server, as the door uses it. */
export interface DoorServer {
  readonly client: HeddleClient;
  readonly upload: Upload;
}

export interface DoorPorts {
  /** Reaches the server; asked again after a refusal. */
  reach(): Promise<Result<DoorServer, Refusal>>;
  /** Heddle's version. */
  readonly version: string;
  readonly setTimer: (delayMs: number, callback: () => void) => () => void;
  /** Returns a word that tells one fork from another. */
  readonly draw: () => string;
}

/** Answers an editor: each method of the protocol becomes commands at the server. */
export function agentDoor(ports: DoorPorts) {
  const door = new Door(ports);
  const { agent: names } = methods;
  return agent({ name: "heddle" })
    .onRequest(names.initialize, ({ params }) => door.initialize(params))
    .onRequest(names.authenticate, () => door.authenticate())
    .onRequest(names.session.new, ({ params, client }) => door.begin(params.cwd, client))
    .onRequest(names.session.load, ({ params, client }) => door.open(params.sessionId, client, { replays: true }))
    .onRequest(names.session.resume, ({ params, client }) => door.open(params.sessionId, client, { replays: false }))
    .onRequest(names.session.fork, ({ params, client }) => door.fork(params.sessionId, client))
    .onRequest(names.session.list, ({ params }) => door.list(params))
    .onRequest(names.session.close, ({ params }) => door.close(params.sessionId))
    .onRequest(names.session.delete, ({ params }) => door.delete(params.sessionId))
    .onRequest(names.session.setMode, async ({ params: { sessionId, modeId } }) => {
      await door.set(sessionId, { configId: "mode", value: modeId });
      return {};
    })
    .onRequest(names.session.setConfigOption, async ({ params }) => {
      const session = await door.set(params.sessionId, params);
      return { configOptions: session.options };
    })
    .onRequest(names.session.prompt, ({ params }) => door.prompt(params))
    .onNotification(names.session.cancel, ({ params }) => door.cancel(params.sessionId));
}

class Door {
  readonly #ports: DoorPorts;
  readonly #sessions = new Map<string, EditorSession>();
  #editor: { readonly capabilities: ClientCapabilities } | null = null;
  #reached: Promise<Result<DoorServer, Refusal>> | null = null;

  constructor(ports: DoorPorts) {
    this.#ports = ports;
  }

  initialize({ protocolVersion, clientCapabilities }: InitializeRequest): InitializeResponse {
    if (!Number.isInteger(protocolVersion) || protocolVersion < 1) {
      throw wrongParams("protocolVersion", "Heddle speaks version 1 of the protocol.");
    }
    this.#editor = { capabilities: clientCapabilities ?? {} };
    return {
      protocolVersion: 1,
      agentInfo: { name: "heddle", title: "Heddle", version: this.#ports.version },
      authMethods: [],
      agentCapabilities: {
        loadSession: true,
        promptCapabilities: { image: true, audio: false, embeddedContext: true },
        mcpCapabilities: { http: false, sse: false },
        sessionCapabilities: { list: {}, resume: {}, close: {}, delete: {}, fork: {} },
      },
    };
  }

  /** Tries once more to reach the server: its token may be there now. */
  async authenticate(): Promise<Record<string, never>> {
    this.#initialized();
    await this.#server();
    return {};
  }

  async begin(cwd: string, editor: AgentContext): Promise<NewSessionResponse> {
    this.#initialized();
    const { client } = await this.#server();
    const folder = await folderFor(client, cwd);
    const { rootId } = valueOf(await client.call("conversation.create", { folderId: folder?.id ?? null }));
    const place = { sessionId: rootId, rootId, folder, tip: null, isFork: false };
    const session = await this.#add(client, editor, place);
    return { sessionId: rootId, modes: session.modes, configOptions: session.options };
  }

  async open(sessionId: string, editor: AgentContext, { replays }: { readonly replays: boolean }) {
    this.#initialized();
    const { client } = await this.#server();
    const { rootId } = readSessionId(sessionId);
    const view = await conversationView(client, rootId).catch((problem: unknown) => {
      throw isMissing(problem) ? noSession(sessionId) : problem;
    });
    this.#sessions.get(sessionId)?.close();
    const { tip, isNewFork } = tipOf(view, sessionId);
    const folder = await folderOf(client, view.root.folderId);
    const session = await this.#add(client, editor, { sessionId, rootId, folder, tip, isFork: isNewFork });
    if (replays) await session.replay();
    return { modes: session.modes, configOptions: session.options };
  }

  async fork(sessionId: string, editor: AgentContext): Promise<NewSessionResponse> {
    this.#initialized();
    const { client } = await this.#server();
    const open = this.#sessions.get(sessionId);
    const { rootId } = readSessionId(sessionId);
    const view = await conversationView(client, rootId).catch(() => {
      throw noSession(sessionId);
    });
    const tip = open === undefined ? tipOf(view, sessionId).tip : open.tip;
    const forked = forkId(rootId, tip, this.#ports.draw());
    const folder = await folderOf(client, view.root.folderId);
    const session = await this.#add(client, editor, { sessionId: forked, rootId, folder, tip, isFork: true });
    return { sessionId: forked, modes: session.modes, configOptions: session.options };
  }

  async list(wish: { readonly cwd?: string | null; readonly cursor?: string | null }) {
    this.#initialized();
    const { client } = await this.#server();
    return listSessions(client, wish);
  }

  async close(sessionId: string): Promise<Record<string, never>> {
    const session = this.#session(sessionId);
    await session.cancel();
    session.close();
    this.#sessions.delete(sessionId);
    return {};
  }

  /** Moves a session's conversation to the trash; deleting twice is no error. A fork is only closed: its words stay. */
  async delete(sessionId: string): Promise<Record<string, never>> {
    this.#initialized();
    const { client } = await this.#server();
    if (this.#sessions.has(sessionId)) await this.close(sessionId);
    const { rootId, isFork } = readSessionId(sessionId);
    if (isFork) return {};
    const deleted = await client.call("conversation.delete", { rootId: rootId });
    const isGone = deleted.ok || deleted.error.code === "ROOT_NOT_FOUND" || deleted.error.code === "IN_TRASH";
    if (!isGone) throw requestError(deleted.error);
    return {};
  }

  async set(sessionId: string, change: { readonly configId: string; readonly value: unknown }): Promise<EditorSession> {
    const session = this.#session(sessionId);
    await session.setOption(change);
    return session;
  }

  async prompt({ sessionId, prompt }: { sessionId: string; prompt: Parameters<typeof readPrompt>[0] }) {
    const session = this.#session(sessionId);
    const { client, upload } = await this.#server();
    const said = valueOf(await readPrompt(prompt, upload));
    if (said.text.trim() === "" && said.attachments.length === 0) {
      throw wrongParams("prompt", "The prompt says nothing. Nothing was sent.");
    }
    const after = said.attachments.length === 0 ? await runSlash(client, session, said.text) : null;
    if (after?.type === "done") return { stopReason: "end_turn" } as const;
    return session.prompt(after === null ? said : { ...said, text: after.text });
  }

  async cancel(sessionId: string): Promise<void> {
    await this.#sessions.get(sessionId)?.cancel();
  }

  #initialized(): ClientCapabilities {
    if (this.#editor !== null) return this.#editor.capabilities;
    throw new RequestError(-32600, 'The connection is not initialized. Call "initialize" first.');
  }

  #session(sessionId: string): EditorSession {
    this.#initialized();
    const session = this.#sessions.get(sessionId);
    if (session === undefined) throw noSession(sessionId);
    return session;
  }

  async #server(): Promise<DoorServer> {
    this.#reached ??= this.#ports.reach();
    const reached = await this.#reached;
    if (!reached.ok) this.#reached = null;
    return valueOf(reached);
  }

  async #add(client: HeddleClient, editor: AgentContext, place: SessionPlace): Promise<EditorSession> {
    const { fs, elicitation } = this.#initialized();
    const view = await conversationView(client, place.rootId);
    const policy = await policyOf(client, view.root);
    const shares = fs?.readTextFile === true && fs.writeTextFile === true;
    const session = new EditorSession(
      {
        client,
        editor,
        buffers: shares ? buffersOf(editor, place.sessionId) : null,
        asksForms: elicitation?.form !== undefined && elicitation.form !== null,
        setTimer: this.#ports.setTimer,
      },
      place,
      { view, policy },
    );
    this.#sessions.set(place.sessionId, session);
    const available = await availableCommands(client);
    // The editor knows the session once it has the answer.
    this.#ports.setTimer(0, () =>
      session.update({ sessionUpdate: "available_commands_update", availableCommands: available }),
    );
    return session;
  }
}

function buffersOf(editor: AgentContext, sessionId: string): EditorBuffers {
  const { fs } = methods.client;
  return {
    read: async (path) => {
      const read = await editor.request(fs.readTextFile, { sessionId, path }).catch(() => null);
      return read === null ? null : read.content;
    },
    write: async (path, content) => {
      const written = await editor.request(fs.writeTextFile, { sessionId, path, content }).catch(() => null);
      return written !== null;
    },
  };
}

function isMissing(problem: unknown): boolean {
  return problem instanceof RequestError && problem.code === -32002;
}
