import type { Actor } from "../core/base/actor.ts";
import type { Refusal } from "../core/base/errors.ts";
import type { BlockId, NodeId, RootId, RunId, TurnId } from "../core/base/ids.ts";
import type { Result } from "../core/base/result.ts";
import type { Suggestion } from "../core/block/suggestion.ts";
import type { BlockHeader } from "../core/block/types.ts";
import type { Bookmark, ForestNode, ForestRoot } from "../core/forest/types.ts";
import type { CommandAnswer, CommandName, CommandParams } from "../core/protocol/commands.ts";
import type { AgentId, BlameSpan, TextChange } from "../core/text/types.ts";
import type { TurnState } from "../core/turn/state.ts";

/** How the page stands to the server. */
export type ConnectionState =
  | { readonly type: "connecting" }
  | { readonly type: "live"; readonly since: number; readonly reconnected: boolean }
  /** Tries again at `retryAt` (UTC milliseconds); `unsent` edits and commands wait. */
  | { readonly type: "reconnecting"; readonly attempt: number; readonly retryAt: number; readonly unsent: number }
  | { readonly type: "offline"; readonly attempt: number; readonly retryAt: number; readonly unsent: number }
  /** The server will not have us: wrong token, other release. Stays until the person acts. */
  | { readonly type: "refused"; readonly refusal: Refusal };

/** A value that changes, for a view to show. `get` gives the same object until it changes. */
export interface Observable<Value> {
  get(): Value;
  /** Calls back after each change; the returned function ends it. */
  subscribe(listener: () => void): () => void;
}

export interface CanvasSummary {
  readonly id: BlockId;
  readonly title: string;
}

export interface WorkspaceView {
  readonly roots: readonly ForestRoot[];
  readonly canvases: readonly CanvasSummary[];
  readonly models: CommandAnswer<"models.list">["models"];
  /** Who is connected now, one entry a connection, this one included. */
  readonly people: readonly { readonly clientId: string; readonly actor: Actor; readonly self: boolean }[];
}

/** A piece of a reply that is still being written. */
export interface LiveBlock {
  readonly header: BlockHeader;
  readonly text: string;
}

export interface RunView {
  readonly runId: RunId;
  readonly headNodeId: NodeId | null;
  readonly turnId: TurnId | null;
  readonly state: TurnState;
  /** Since when it stands so, UTC milliseconds by the server's clock. */
  readonly since: number;
  /** How much of the model's window the last reply left filled, from 0; null before the first. */
  readonly contextUsed: number | null;
  /** `provider/model` of the turn under way, or of the last one. */
  readonly model: string;
  readonly queued: boolean;
  readonly liveBlocks: readonly LiveBlock[];
}

export interface ConversationView {
  readonly root: ForestRoot;
  readonly nodesById: ReadonlyMap<NodeId, ForestNode>;
  /** Children in order; the key null holds the first messages. */
  readonly childrenByParent: ReadonlyMap<NodeId | null, readonly NodeId[]>;
  readonly runs: readonly RunView[];
  readonly notices: readonly { readonly runId: RunId; readonly text: string; readonly at: number }[];
  /** Places of this conversation that people want to find again, by title. */
  readonly bookmarks: readonly Bookmark[];
  /** Position in the conversation's feed. */
  readonly seq: number;
}

export interface LeaseView {
  readonly epoch: number;
  /** null while no agent works on the canvas. Times are by this machine's clock, UTC milliseconds. */
  readonly held: {
    readonly runId: RunId;
    readonly holderName: string;
    readonly since: number;
    /** Its last sign of life; without another it is over at `expiresAt`. */
    readonly renewedAt: number;
    readonly expiresAt: number;
  } | null;
}

export interface PresenceView {
  readonly clientId: string;
  readonly actor: Actor;
  /** UTF-16 offsets in the text as this replica has it. */
  readonly selection: { readonly anchor: number; readonly head: number } | null;
}

/** Where a change of the text came from. */
export type TextOrigin =
  | { readonly type: "local" }
  | { readonly type: "remote"; readonly actor: Actor }
  | { readonly type: "resync" };

/** A block's text as this page has it: edits apply at once and travel to the server, others' merge in. */
export interface TextReplica {
  readonly blockId: BlockId;
  /** Whether the first snapshot has come. */
  readonly ready: boolean;
  readonly header: Observable<BlockHeader | null>;
  readonly lease: Observable<LeaseView>;
  readonly presence: Observable<readonly PresenceView[]>;
  /** What agents suggest for this canvas and nobody has decided about, oldest first. */
  readonly suggestions: Observable<readonly Suggestion[]>;
  /** Edits made here that the server has not confirmed. */
  readonly unconfirmed: Observable<number>;
  /**
   * The last refusal of an edit made here, until dismissed; what was typed is among the facts as `lostText`, and taken back
   * from the text. STORE_FULL and STORE_FAILED without it: the edits stay, and are sent again until they are taken.
   */
  readonly refused: Observable<Refusal | null>;
  readonly length: number;
  text(): string;
  /** Changes against the present text, sorted, not overlapping. Throws only for a caller's mistake. */
  edit(changes: readonly TextChange[]): void;
  /** Tells of every change of the text in the order made; local ones too. */
  onChange(listener: (changes: readonly TextChange[], origin: TextOrigin) => void): () => void;
  blame(from: number, to: number): readonly BlameSpan[];
  /** Who an agent number stands for; undefined until the server has told. */
  actorOf(agent: AgentId): Actor | undefined;
  /** Called as the selection moves; sends at most one message each 50 ms. */
  setSelection(selection: { readonly anchor: number; readonly head: number } | null): void;
  dismissRefusal(): void;
  /** Ends the watch when the last user has closed it. */
  close(): void;
}

/** A client's connection to a Heddle server: survives cuts, loses nothing that was typed. */
export interface HeddleClient {
  readonly state: Observable<ConnectionState>;
  readonly actor: Observable<Actor | null>;
  readonly workspace: Observable<WorkspaceView | null>;
  /** The watched conversation; null until its first snapshot. Watching starts with the first subscriber, ends with the last. */
  conversation(rootId: RootId): Observable<ConversationView | null>;
  openText(blockId: BlockId): TextReplica;
  /** Answers when the server has; a cut connection sends it again (commands carry their request id). */
  call<Name extends CommandName>(
    name: Name,
    params: CommandParams<Name>,
  ): Promise<Result<CommandAnswer<Name>, Refusal>>;
  /** Reads the models of the workspace anew: keys or the catalogue have changed. */
  reloadModels(): Promise<void>;
  /**
   * Words that go with the page: of edits that wait for a server that is not there or does not take them, and of those given
   * up that nobody has seen. "" for none.
   */
  unsentWords(): string;
  /** Try now instead of at `retryAt`. */
  reconnectNow(): void;
  close(): void;
}

/** A connection's bytes: what a browser's WebSocket does, and what a test puts in its place. */
export interface SocketLike {
  send(frame: string): void;
  close(): void;
}

/** What a socket tells. After `closed` nothing more comes. */
export interface SocketListener {
  opened(): void;
  received(frame: string): void;
  /** `code` is the WebSocket close code; 1006 when the connection was lost. */
  closed(code: number): void;
}

/** Everything outside that the client uses; each part has the browser's own as its default. */
export interface ClientPlatform {
  openSocket(url: string, listener: SocketListener): SocketLike;
  /** UTC milliseconds. */
  now(): number;
  setTimer(delayMs: number, callback: () => void): () => void;
  /** From 0 up to, not including, 1: the jitter of reconnecting. */
  random(): number;
  /** Calls back when the machine says that it is online again; the returned function ends it. */
  onOnline(callback: () => void): () => void;
}

export interface ConnectOptions {
  /** Origin of the server, such as `location.origin`; the socket is at `/ws` below it. */
  readonly url: string;
  /** The token of the address that the server printed. */
  readonly token: string;
  /** 16 to 64 characters of [A-Za-z0-9_-]. Kept per tab over reloads: it names the agent that this tab edits as. */
  readonly clientId: string;
  /** How others see this person. */
  readonly name?: string;
  readonly platform?: Partial<ClientPlatform>;
}
