import type { Actor } from "../../core/base/actor.ts";
import type { Refusal } from "../../core/base/errors.ts";
import type { BlockId, DocumentId, RequestId, ToolCallId } from "../../core/base/ids.ts";
import type { JsonObject } from "../../core/base/json.ts";
import type { Result } from "../../core/base/result.ts";
import type {
  BlockChange,
  BlockHeader,
  BlockKind,
  BlockRole,
  BlockStatus,
  EditPolicy,
  UndoUnit,
} from "../../core/block/types.ts";
import type { HeaderWish } from "../../core/block/header-update.ts";
import type { StoreWrite } from "../../core/port/store.ts";
import type { AgentId, TextChange, TextVersion } from "../../core/text/types.ts";

/** Who makes a change, with which agent number, as part of which undo unit. */
export interface Author {
  readonly actor: Actor;
  readonly agent: AgentId;
  readonly unit: UndoUnit;
}

export interface NewBlock {
  readonly documentId: DocumentId;
  readonly parentId: BlockId | null;
  /** Stands directly after this sibling. */
  readonly after?: BlockId;
  readonly role: BlockRole;
  readonly kind: BlockKind;
  readonly text: string;
  readonly status: BlockStatus;
  readonly metadata: JsonObject;
  readonly policy?: EditPolicy;
}

/** What may be asked of an edit beside the change itself. */
export interface EditOptions {
  /** Store conditions (a lease) that must hold in the same transaction. */
  readonly guards?: readonly StoreWrite[] | undefined;
  readonly requestId?: RequestId | undefined;
}

/** What may be asked of an undo or redo of the author's own edits. */
export interface UndoOptions extends EditOptions {
  /** Only what this tool call did; default: the last unit that can be turned over. */
  readonly toolCallId?: ToolCallId | undefined;
}

/** What an undo or redo of the author's own edits did. */
export interface TurnedChange extends AcceptedChange {
  /** Names of others who have changed the block since the unit was made; their text stays. Empty for a repeated request. */
  readonly changedByOthers: readonly string[];
}

/** A block that an undo or redo of a turn changed. */
export interface TurnUndo {
  readonly blockId: BlockId;
  readonly version: number;
  /** Names of others who have changed the block since the turn did; their text stays. */
  readonly changedByOthers: readonly string[];
}

/** A block as read at one instant. */
export interface BlockReading {
  readonly header: BlockHeader;
  readonly text: string;
  /** The engine's version of that text: edits planned against it are made at it. */
  readonly textVersion: TextVersion;
}

/** What a copy lacks: the changes after its version, or all of the block where it has nothing to build on. */
export type CatchUp =
  | { readonly type: "changes"; readonly header: BlockHeader; readonly changes: readonly BlockChange[] }
  | {
      readonly type: "snapshot";
      readonly header: BlockHeader;
      /** The encoded document. */
      readonly document: Uint8Array;
      readonly textHash: string;
    };

export interface AcceptedChange {
  readonly version: number;
  /** The text after the change, merged. */
  readonly text: string;
  /** What the change did to the text as it was right before; empty for a request that was carried out earlier. */
  readonly delta: readonly TextChange[];
}

/**
 * The one owner of every block: a queue per document, changes committed before they are acknowledged or told.
 * `guards` are store conditions (a lease) that must hold in the same transaction.
 */
export interface DocumentHub {
  create(author: Author, block: NewBlock): Promise<Result<BlockHeader, Refusal>>;
  read(blockId: BlockId): Promise<Result<BlockReading, Refusal>>;
  /** The block's text at one of its versions. */
  readAt(blockId: BlockId, version: number): Promise<Result<BlockReading, Refusal>>;
  list(documentId: DocumentId | null): Promise<readonly BlockHeader[]>;
  /** Changes planned against the text at `at` (default: the head), as one mutation, one undo unit. */
  edit(
    author: Author,
    blockId: BlockId,
    plan: { readonly changes: readonly TextChange[]; readonly at?: TextVersion },
    options?: EditOptions,
  ): Promise<Result<AcceptedChange, Refusal>>;
  /**
   * Plans inside the block's queue: `plan` sees the text at the head with every earlier change in it and decides what to
   * change, or refuses. For compare-and-set edits.
   */
  editWith(
    author: Author,
    blockId: BlockId,
    plan: (
      reading: BlockReading,
    ) => Result<{ readonly changes: readonly TextChange[]; readonly at?: TextVersion }, Refusal>,
    options?: EditOptions,
  ): Promise<Result<AcceptedChange, Refusal>>;
  /** Takes a client's update (B-29, B-31). */
  push(
    author: Author,
    blockId: BlockId,
    update: Uint8Array,
    requestId: RequestId,
  ): Promise<Result<{ readonly version: number }, Refusal>>;
  /** Streams text onto the end; batched by newline, 50 characters, 100 ms. Failures end in the log and the block's status. */
  append(author: Author, blockId: BlockId, text: string): Promise<Result<{ readonly version: number }, Refusal>>;
  /** Flushes what `append` still holds, then sets the status, told in one delivery (B-19). */
  setStatus(
    author: Author,
    blockId: BlockId,
    status: BlockStatus,
    options?: EditOptions,
  ): Promise<Result<{ readonly version: number }, Refusal>>;
  setPolicy(
    author: Author,
    blockId: BlockId,
    policy: EditPolicy,
  ): Promise<Result<{ readonly version: number }, Refusal>>;

  /** Sets flags and metadata, told in one delivery; what is so already is no change. */
  update(
    author: Author,
    blockId: BlockId,
    wish: HeaderWish,
    options?: EditOptions,
  ): Promise<Result<{ readonly version: number }, Refusal>>;
  /** Deletes a block for good: whoever asks for it from then on is told BLOCK_NOT_FOUND; what stands under it stays. */
  delete(
    author: Author,
    blockId: BlockId,
    options?: EditOptions,
  ): Promise<Result<{ readonly version: number }, Refusal>>;

  /** Undoes the author's own last unit in this block; once for each request id, however often it is sent. */
  undo(author: Author, blockId: BlockId, options?: UndoOptions): Promise<Result<TurnedChange, Refusal>>;
  redo(author: Author, blockId: BlockId, options?: UndoOptions): Promise<Result<TurnedChange, Refusal>>;

  /**
   * Joins a block's feed (B-28): first either every change after `afterVersion` or a snapshot, then each change as it is
   * committed, in order, without gaps. `deliver` gets what belongs together in one call (B-30).
   */
  watch(blockId: BlockId, afterVersion: number, watcher: BlockWatcher): Promise<Result<() => void, Refusal>>;
  /** Every change of a document's blocks, from now on. */
  watchDocument(documentId: DocumentId, deliver: (changes: readonly BlockChange[]) => void): () => void;
  /** Writes out what is buffered and frees memory of blocks nobody watches. */
  close(): Promise<void>;
}

export interface BlockWatcher {
  snapshot(header: BlockHeader, document: Uint8Array, textHash: string): void;
  deliver(changes: readonly BlockChange[]): void;
}
