import type { Actor } from "../../base/actor.ts";
import type { Refusal } from "../../base/errors.ts";
import type { Folder } from "../../base/folder.ts";
import type { BlockId, NodeId, RequestId, RootId, RunId } from "../../base/ids.ts";
import type { BlockChange, BlockChangeBody, BlockHeader } from "../../block/types.ts";
import type { Thread } from "../../block/comment/thread.ts";
import type { Suggestion } from "../../block/suggestion/suggestion.ts";
import type { List, ListEntry } from "../../forest/list.ts";
import type { Bookmark, ForestNode, ForestRoot } from "../../forest/types.ts";
import type { ReplicaId } from "../../text/types.ts";
import type { FeedRecord, RunStatus } from "../../turn/state/feed.ts";
import type { WaitingMessage } from "../../turn/state/waiting.ts";

/** Bytes in JSON: base64. */
type WireBytes = string;

/** A block's change as it travels: its updates are text. */
export type WireChange = Omit<BlockChange, "body"> & { readonly body: WireChangeBody };
type WireChangeBody = BlockChangeBody extends infer Body
  ? Body extends { readonly update: Uint8Array }
    ? Omit<Body, "update"> & { readonly update: WireBytes }
    : Body
  : never;

/** A message of a client: one JSON object per frame. */
export type UpMessage =
  /**
   * First on every connection, within 5 seconds. `clientId` is 16 to 64 characters of [A-Za-z0-9_-], kept across
   * reconnects.
   */
  | {
      readonly type: "hello";
      readonly protocol: number;
      readonly schemaHash: string;
      readonly token: string;
      readonly clientId: string;
      readonly name?: string;
    }
  /** Requests the people and the folders. */
  | { readonly type: "watch-workspace" }
  /** Requests a list as it is, then its changes. */
  | { readonly type: "watch-list"; readonly list: List }
  | { readonly type: "unwatch-list"; readonly list: List }
  /** Requests feed entries after `afterSeq`; 0 requests a snapshot. */
  /** Requests entries after `afterSeq`; 0 requests a snapshot, of a large conversation only `segment` where one is named. */
  | {
      readonly type: "watch-conversation";
      readonly rootId: RootId;
      readonly afterSeq: number;
      readonly segment?: SegmentRequest;
    }
  | { readonly type: "unwatch-conversation"; readonly rootId: RootId }
  /** Requests changes after `afterVersion`; 0 requests a snapshot. */
  | { readonly type: "watch-block"; readonly blockId: BlockId; readonly afterVersion: number }
  | { readonly type: "unwatch-block"; readonly blockId: BlockId }
  /** A text update of this connection's replica. Sent again after a cut with the same request id. */
  | { readonly type: "push"; readonly requestId: RequestId; readonly blockId: BlockId; readonly update: WireBytes }
  | { readonly type: "call"; readonly requestId: RequestId; readonly command: string; readonly params: unknown }
  /** Whether a person sees this page. While one of theirs is seen, no push is sent to them. */
  | { readonly type: "look"; readonly seen: boolean }
  | {
      readonly type: "presence";
      readonly blockId: BlockId;
      readonly selection: { readonly anchor: number; readonly head: number } | null;
    }
  | { readonly type: "ping" };

/** The end of a path that a page asks for: at most so many messages and bytes of it. */
export interface SegmentRequest {
  /** A message on the path; null for the newest of all. */
  readonly nodeId: NodeId | null;
  readonly messages: number;
  readonly bytes: number;
}

/** What a page knows of a segment besides its messages. */
export interface SegmentFacts {
  /** The last message of the path; null for an empty conversation. */
  readonly tipId: NodeId | null;
  /** How many messages of the path are above those that are sent. */
  readonly above: number;
  /** The numbers of children of messages whose children are not all sent; null is the place of first messages. */
  readonly childCounts: readonly { readonly parentId: NodeId | null; readonly count: number }[];
}

/** A folder as clients see it. */
export interface FolderView extends Omit<Folder, "removedAt"> {
  /** Why the folder cannot be used now; null: it can. */
  readonly away: string | null;
  readonly isDefault: boolean;
  /** Counts the changes of the list of its files. */
  readonly changes: number;
}

/** A message to a client. A frame is a JSON array of the messages of one tick. */
export type DownMessage =
  | {
      readonly type: "welcome";
      readonly protocol: number;
      /** Changes with every start of the server. */
      readonly bootId: string;
      /** The replica that this connection edits as. The same client id gets the same replica again. */
      readonly replica: ReplicaId;
      readonly actor: Actor;
    }
  /** The folders that conversations can work in; again when one changes, or the list of its files does (`changes`). */
  | { readonly type: "folders"; readonly canAdd: boolean; readonly folders: readonly FolderView[] }
  /** A key, an address or a choice of models changed: a page lists the models again. */
  | { readonly type: "models-changed" }
  /**
   * A watched list: all of its entries (`whole`), then those that are new or changed, and the ids of those that are no longer
   * among its first. A client puts them in order itself. `total` counts the entries that match, watched or not.
   */
  | {
      readonly type: "list";
      readonly list: List;
      readonly whole: boolean;
      readonly total: number;
      readonly entries: readonly ListEntry[];
      readonly removed: readonly string[];
    }
  /** Who is connected: everybody (`whole`), then who came and who went. */
  | {
      readonly type: "people";
      readonly whole: boolean;
      readonly entered: readonly { readonly clientId: string; readonly actor: Actor }[];
      readonly left: readonly string[];
    }
  | {
      readonly type: "conversation-snapshot";
      readonly rootId: RootId;
      readonly seq: number;
      readonly root: ForestRoot;
      readonly nodes: readonly ForestNode[];
      /** Set when only a part is sent: the client asked for that, and the conversation is larger. */
      readonly segment?: SegmentFacts;
      readonly runs: readonly RunStatus[];
      /** Of all runs, in their order. */
      readonly waiting: readonly WaitingMessage[];
      /** By title. */
      readonly bookmarks: readonly Bookmark[];
    }
  | { readonly type: "feed"; readonly record: FeedRecord }
  /** Sent when a block is watched, and for the live blocks of a watched conversation. */
  | {
      readonly type: "block-snapshot";
      readonly header: BlockHeader;
      /** The encoded document. */
      readonly text: WireBytes;
      /** Hash of the text at this version (hash8); a client with another hash joins again and reports it. */
      readonly hash: string;
      readonly replicas: readonly ReplicaActor[];
    }
  | { readonly type: "block-change"; readonly change: WireChange; readonly replicas?: readonly ReplicaActor[] }
  | {
      readonly type: "lease-changed";
      readonly canvasId: BlockId;
      readonly epoch: number;
      /** When this was sent. The lease's times are the server's; clients count from here. UTC milliseconds. */
      readonly at: number;
      readonly held: {
        readonly runId: RunId;
        readonly holderName: string;
        readonly since: number;
        /** The last sign of life that counted. */
        readonly renewedAt: number;
        readonly expiresAt: number;
      } | null;
    }
  /**
   * The suggestions of agents for a watched canvas: all open suggestions when the watch begins (`whole`), then the
   * changed ones, by id; see takeSuggestions. A client computes the placement of each hunk from its text: see
   * createHunkPlacer.
   */
  | {
      readonly type: "suggestions";
      readonly canvasId: BlockId;
      readonly whole: boolean;
      readonly suggestions: readonly Suggestion[];
    }
  /**
   * The threads of comments on a watched document: all of them when the watch begins (`whole`), then the changed ones, by id;
   * see takeThreads. Sent after the change of the text that altered them.
   */
  | {
      readonly type: "threads";
      readonly blockId: BlockId;
      readonly whole: boolean;
      readonly threads: readonly Thread[];
    }
  | {
      readonly type: "presence";
      readonly blockId: BlockId;
      readonly clientId: string;
      readonly actor: Actor;
      readonly selection: { readonly anchor: number; readonly head: number } | null;
    }
  | { readonly type: "pushed"; readonly requestId: RequestId; readonly version: number }
  | { readonly type: "answer"; readonly requestId: RequestId; readonly answer: unknown }
  | { readonly type: "refused"; readonly requestId: RequestId | null; readonly refusal: Refusal }
  /** The watch or the connection ends with this reason; nothing was skipped silently. */
  | { readonly type: "terminated"; readonly refusal: Refusal }
  | { readonly type: "pong" };

/** Whose edits carry a replica's number. */
export interface ReplicaActor {
  readonly replica: ReplicaId;
  readonly actor: Actor;
}
