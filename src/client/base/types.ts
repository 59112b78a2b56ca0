import type { FolderView } from "../../core/protocol/base/messages.ts";
import type { Actor } from "../../core/base/actor.ts";
import type { Refusal } from "../../core/base/errors.ts";
import type { BlockId, NodeId, RequestId, RootId, RunId, TurnId } from "../../core/base/ids.ts";
import type { Result } from "../../core/base/result.ts";
import type { RangePlacement } from "../../core/block/comment/range-anchor.ts";
import type { Thread } from "../../core/block/comment/thread.ts";
import type { Suggestion } from "../../core/block/suggestion/suggestion.ts";
import type { BlockHeader } from "../../core/block/types.ts";
import type { List, ListEntries } from "../../core/forest/list.ts";
import type { Bookmark, ForestNode, ForestRoot } from "../../core/forest/types.ts";
import type { CommandAnswer, CommandName, CallParams } from "../../core/protocol/commands.ts";
import type { ReplicaId, BlameSpan, TextChange, OpSpan } from "../../core/text/types.ts";
import type { TurnState } from "../../core/turn/state/state.ts";
import type { WaitingMessage } from "../../core/turn/state/waiting.ts";

/** Whether the client is connected; `connecting` is its first try. Times are UTC milliseconds by this machine's clock. */
export type ConnectionState =
  | { readonly type: "connecting" }
  /** The server has welcomed the client, at `since`. `reconnected` is false for the first connection. */
  | { readonly type: "live"; readonly since: number; readonly reconnected: boolean }
  /**
   * The connection was lost and try number `attempt` (from 1) is due at `retryAt`, or under way once that has passed.
   * `unsent` counts the edits and commands that wait for the server; they are sent when the connection is live again.
   */
  | { readonly type: "reconnecting"; readonly attempt: number; readonly retryAt: number; readonly unsent: number }
  /** The same after three failures in a row. */
  | { readonly type: "offline"; readonly attempt: number; readonly retryAt: number; readonly unsent: number }
  /**
   * The server does not accept this client (UNAUTHENTICATED, FORBIDDEN, FOREIGN_ORIGIN), or is of another release
   * (PROTOCOL_MISMATCH). The client does not try again: calls that wait, and later ones, are answered with this refusal, and
   * `waitingEdits` has what was typed.
   */
  | { readonly type: "refused"; readonly refusal: Refusal };

/** A value that changes, for a view to show. `get` returns the same object until the value changes. */
export interface Observable<Value> {
  get(): Value;
  /** Calls `listener` after each change; messages that arrive together cause one call. Returns a function that unsubscribes. */
  subscribe(listener: () => void): () => void;
}

/** The first entries of a list, as far as they are watched. */
export interface ListView<Entry> {
  /** In the list's order. */
  readonly entries: readonly Entry[];
  /** How many entries there are, watched or not. */
  readonly total: number;
  /** Why the server shows the list no longer, or never did: the entries are those of before. */
  readonly refused?: Refusal;
}

/** Who is connected to the workspace, and what answers in it. */
export interface WorkspaceView {
  /** The models that can be used now; empty until the server has listed them. */
  readonly models: CommandAnswer<"models.list">["models"];
  /** One entry for each connection, this one included (`self`). */
  readonly people: readonly { readonly clientId: string; readonly actor: Actor; readonly self: boolean }[];
  /** Why the server does not show who is connected. */
  readonly refused?: Refusal;
}

/** The folders that conversations can work in. */
export interface FoldersView {
  /** Whether the server can open further folders. */
  readonly canAdd: boolean;
  readonly folders: readonly FolderView[];
}

/** A part of a reply that the model is still writing. */
export interface LiveBlock {
  readonly header: BlockHeader;
  /** All of its text so far. */
  readonly text: string;
}

/** A run of an agent in a conversation. */
export interface RunView {
  readonly runId: RunId;
  /** The last message of its branch; null before the first. */
  readonly headNodeId: NodeId | null;
  /** The turn under way, or the last one; null before the first. */
  readonly turnId: TurnId | null;
  readonly state: TurnState;
  /** When the run entered this state, in UTC milliseconds by the server's clock. */
  readonly since: number;
  /** How full the model's context window was after the last reply, where 1 is all of it; null before the first. */
  readonly contextUsed: number | null;
  /** `provider/model` of the turn under way, or of the last one. */
  readonly model: string;
  /** Whether a message waits that is sent by itself. */
  readonly queued: boolean;
  /** The messages that wait for a boundary of its turn, for its end, or for a person; in their order. */
  readonly waiting: readonly WaitingMessage[];
  /** The parts of the reply that is being written, in order; empty when none is. */
  readonly liveBlocks: readonly LiveBlock[];
}

/** One conversation: the tree of its messages and the runs at work in it. */
export interface ConversationView {
  readonly root: ForestRoot;
  readonly nodesById: ReadonlyMap<NodeId, ForestNode>;
  /** The children of each message in the order added; the key null has the first messages. */
  readonly childrenByParent: ReadonlyMap<NodeId | null, readonly NodeId[]>;
  readonly runs: readonly RunView[];
  /** The last 100 notices, oldest first; `at` is UTC milliseconds by the server's clock. */
  readonly notices: readonly { readonly runId: RunId; readonly text: string; readonly at: number }[];
  /** The bookmarks of this conversation, sorted by title. */
  readonly bookmarks: readonly Bookmark[];
  /** The position in the conversation's feed that this view shows; 0 before the first entry. */
  readonly seq: number;
  /** Set when the view holds only a part of the conversation; see `ConnectOptions.segment`. */
  readonly part: ConversationPart | null;
}

/** Which part of a large conversation a view holds. */
export interface ConversationPart {
  /** The last message of the path that the view began with; null for an empty conversation. */
  readonly tipId: NodeId | null;
  /** How many messages are above a message whose parent is not here. */
  readonly aboveById: ReadonlyMap<NodeId, number>;
  /** The numbers of children of messages whose children are not all here; null is the place of the first messages. */
  readonly childCounts: ReadonlyMap<NodeId | null, number>;
}

/** The lease of a canvas: whether an agent works on it. */
export interface LeaseView {
  /** Rises with each lease and whenever a person takes control. */
  readonly epoch: number;
  /** null while no agent holds a lease. Times are UTC milliseconds by this machine's clock. */
  readonly held: {
    readonly runId: RunId;
    readonly holderName: string;
    readonly since: number;
    /** When the agent was last active. */
    readonly renewedAt: number;
    /** When the lease ends unless it is renewed. */
    readonly expiresAt: number;
  } | null;
}

/** Where another connection's cursor is in a text. */
export interface PresenceView {
  readonly clientId: string;
  readonly actor: Actor;
  /** UTF-16 offsets in the text of this replica, moved along with each change; null while nothing is selected. */
  readonly selection: { readonly anchor: number; readonly head: number } | null;
}

/** Where a change of the text came from: an edit of this replica, another author, or a fresh copy after a gap. */
export type TextOrigin =
  | { readonly type: "local" }
  | { readonly type: "remote"; readonly actor: Actor }
  | { readonly type: "resync" };

/**
 * The text of one block on this client. Edits apply at once and are sent to the server; edits of others are merged in.
 * All offsets are UTF-16 units.
 */
export interface TextReplica {
  readonly blockId: BlockId;
  /** Whether the text has arrived; it cannot be edited before. */
  readonly ready: boolean;
  /** Everything of the block but its text; null until the text has arrived. */
  readonly header: Observable<BlockHeader | null>;
  readonly lease: Observable<LeaseView>;
  /** The cursors of the other connections; empty while disconnected. */
  readonly presence: Observable<readonly PresenceView[]>;
  /** Suggestions of agents for this canvas that await a decision, oldest first. */
  readonly suggestions: Observable<readonly Suggestion[]>;
  /** The threads of comments on this text, also resolved ones, oldest first. */
  readonly threads: Observable<readonly Thread[]>;
  /** The number of edits that the server has not confirmed. */
  readonly unconfirmed: Observable<number>;
  /**
   * The last refusal that concerns this text, until dismissed; null for none. With `details.lostText` the server refused
   * edits: they were removed from the text, and `lostText` is what was typed in them. Without it nothing was lost: after
   * STORE_FULL and STORE_FAILED the edits stay in the text and are sent again until the server has stored them.
   */
  readonly refused: Observable<Refusal | null>;
  /** Length of the text in UTF-16 units; 0 until it has arrived. */
  readonly length: number;
  /** Returns the text; "" until it has arrived. */
  text(): string;
  /**
   * Applies changes that refer to the present text, sorted by `from` and not overlapping, as one edit. Throws for a
   * caller's mistake only: a change that does not fit the text, or a text that has not arrived or is closed.
   */
  edit(changes: readonly TextChange[]): void;
  /**
   * Calls `listener` for every change of the text in the order made, also for those of `edit`; the changes refer to the
   * text before. Returns a function that unsubscribes.
   */
  onChange(listener: (changes: readonly TextChange[], origin: TextOrigin) => void): () => void;
  /** Returns who wrote [from, to), as stretches of one author each; `actorOf` resolves the replica in `id.replica`. */
  blame(from: number, to: number): readonly BlameSpan[];
  /** Returns where threads are in the text now, in their order; null for one about the whole document. */
  placesOf(threads: readonly Thread[]): readonly (RangePlacement | null)[];
  /** Returns the units of a stretch of the text: they name it to the server, whatever others write meanwhile. */
  unitsOf(from: number, to: number): readonly OpSpan[];
  /** Returns who edits as a replica; undefined when the server has not named it. */
  actorOf(replicaId: ReplicaId): Actor | undefined;
  /** Shows this client's selection to others; null for none. May be called for every move: one message goes out each 50 ms. */
  setSelection(selection: { readonly anchor: number; readonly head: number } | null): void;
  /** Clears `refused`. */
  dismissRefusal(): void;
  /** Stops following the text once every `openText` of it has been closed and its edits are confirmed. */
  close(): void;
}

/** Edits of one document that the server has not confirmed, as one push. JSON. */
export interface WaitingEdits {
  readonly blockId: BlockId;
  readonly requestId: RequestId;
  /** The encoded update, in base64. */
  readonly update: string;
  /** What was typed in them. */
  readonly words: string;
}

/**
 * A client's connection to a Heddle server. It reconnects by itself, sends again whatever the server has not answered, and
 * loses no edit: one that the server refuses for good is returned by `TextReplica.refused`.
 */
export interface HeddleClient {
  readonly state: Observable<ConnectionState>;
  /** Who this client is to others; null before the first welcome. */
  readonly actor: Observable<Actor | null>;
  /** null before the first welcome. While disconnected it shows what was known last. */
  readonly workspace: Observable<WorkspaceView | null>;
  /**
   * Returns a list of conversations or canvases, or a single one of them: followed from the first subscriber to the last, null
   * until its entries have arrived. A single conversation or canvas that does not exist, or is
   * in the trash, has no entries.
   */
  list<Of extends List["of"]>(list: Extract<List, { readonly of: Of }>): Observable<ListView<ListEntries[Of]> | null>;
  /** The folders that conversations can work in; null before the first welcome. */
  readonly folders: Observable<FoldersView | null>;
  /**
   * Returns the view of a conversation: followed from the first subscriber to the last, null until its first snapshot and
   * for a conversation that does not exist.
   */
  conversation(rootId: RootId): Observable<ConversationView | null>;
  /**
   * Adds messages to a view that holds a part of its conversation: the path that ends `here`, at `nodeId`, or at the newest
   * `leaf` below it; null is the newest message of all. Resolves with the last message of that path.
   */
  loadMessages(
    rootId: RootId,
    wish: { readonly nodeId: NodeId | null; readonly end: "here" | "leaf" },
  ): Promise<Result<NodeId | null, Refusal>>;
  /** Opens a block's text and follows it. Every call is paired with a `close`; the same block gives the same replica. */
  openText(blockId: BlockId): TextReplica;
  /**
   * Sends a command and resolves with the server's answer. A command whose connection is lost is sent again and takes
   * effect once. What hands words to a model is sent after the edits made before it, unless `TextReplica.refused` shows that
   * these wait or are lost. A refusal is an `err`: of the command, FRAME_TOO_LARGE for parameters above 1 MiB, SHUTTING_DOWN after
   * `close`. Never rejects.
   */
  call<Name extends CommandName>(name: Name, params: CallParams<Name>): Promise<Result<CommandAnswer<Name>, Refusal>>;
  /** Updates `WorkspaceView.models`, for when keys or the catalogue have changed. Keeps the old list when that fails. */
  reloadModels(): Promise<void>;
  /**
   * Returns the typed text that closing the page would lose: of edits that a server which is away or cannot store has not
   * confirmed, and of refused edits that nobody has dismissed. Texts are separated by an empty line; "" for none.
   */
  unsentWords(): string;
  /**
   * Returns the edits that the server has not confirmed, oldest first for each document; none once the server knows this page
   * by another client id. A later client with this client id and name may send them, when this page is closed.
   */
  waitingEdits(): readonly WaitingEdits[];
  /** Sends edits of an earlier client with the same id and name; what the server has already stays as it is. Never rejects. */
  sendWaiting(edits: WaitingEdits): Promise<Result<unknown, Refusal>>;
  /** Says whether a person sees this page, now and after each reconnect: while they see one, no push is sent to them. */
  look(seen: boolean): void;
  /** Tries to connect now instead of at `retryAt`. Does nothing while live or refused. */
  reconnectNow(): void;
  /** Closes the connection. Edits that wait are not sent any more; commands that wait resolve with SHUTTING_DOWN. */
  close(): void;
}

/** An open WebSocket, or what a test puts in its place. */
export interface SocketLike {
  /** Sends one text frame. */
  send(frame: string): void;
  /** Closes the socket; may be called twice. */
  close(): void;
}

/** Receives the events of one socket, none of them before `openSocket` has returned. */
export interface SocketListener {
  opened(): void;
  /** A text frame; "" for a binary one. */
  received(frame: string): void;
  /** `code` is the WebSocket close code; 1006 when the connection was lost. The last event. */
  closed(code: number): void;
}

/** The environment of a client; each part defaults to the browser's own. */
export interface ClientPlatform {
  /** Opens a WebSocket; a failure is a call of `listener.closed`. */
  openSocket(url: string, listener: SocketListener): SocketLike;
  /** Returns UTC milliseconds. */
  now(): number;
  /** Calls `callback` once after `delayMs`. Returns a function that cancels. */
  setTimer(delayMs: number, callback: () => void): () => void;
  /** Returns a number from 0 up to, not including, 1; spreads the retries of many clients. */
  random(): number;
  /** Calls `callback` whenever the machine comes online or the person returns. Returns a function that unsubscribes. */
  onOnline(callback: () => void): () => void;
}

/** How much of a large conversation is sent at once. */
export interface SegmentOptions {
  readonly messages: number;
  readonly bytes: number;
  /** Returns a message on the path that a view begins with; null for the newest of all. */
  readonly startAt?: (rootId: RootId) => NodeId | null;
}

/** How to connect to a server. */
export interface ConnectOptions {
  /** Origin of the server, such as `location.origin`; the socket is at `/ws` below it. */
  readonly url: string;
  /** The token in the address that the server printed. */
  readonly token: string;
  /**
   * 16 to 64 characters of [A-Za-z0-9_-], kept for a tab across reloads. The server assigns it the replica that this
   * client edits as; a second client with the same id gets another.
   */
  readonly clientId: string;
  /** The name that others see. */
  readonly name?: string;
  /** Makes the views of large conversations hold only parts, which `loadMessages` adds to; absent: views are whole. */
  readonly segment?: SegmentOptions;
  /** Called when `waitingEdits` has changed; `madeAgain` when edits of before are in it in another form. */
  readonly editsWait?: (madeAgain: boolean) => void;
  /** Replaces parts of the environment, such as sockets in Node. */
  readonly platform?: Partial<ClientPlatform>;
}
