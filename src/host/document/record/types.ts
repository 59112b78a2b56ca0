import type { Actor } from "../../../core/base/actor.ts";
import type { BlockId, DocumentId, ToolCallId } from "../../../core/base/ids.ts";
import type { JsonObject } from "../../../core/base/json.ts";
import type { BlockKind } from "../../../core/block/kinds.ts";
import type {
  BlockChange,
  BlockHeader,
  BlockRole,
  BlockStatus,
  EditPolicy,
  UndoUnit,
} from "../../../core/block/types.ts";
import type { StoreWrite } from "../../../core/port/store.ts";
import type { AgentId, TextChange, TextVersion } from "../../../core/text/types.ts";

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
  /** What is stored in the same transaction, given the version that the change makes; not asked where nothing changes. */
  readonly also?: ((version: number) => readonly StoreWrite[]) | undefined;
}

/** What may be asked of an undo or redo of the author's own edits. */
export interface UndoOptions extends EditOptions {
  /** Only what this tool call did; default: the last unit that can be turned over. */
  readonly toolCallId?: ToolCallId | undefined;
}

/** What an undo or redo of the author's own edits did. */
export interface TurnedChange extends AcceptedChange {
  /** Names of others who have changed the block since the unit was made; their text stays. */
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

/** What a copy is missing: the changes after its version, or all of the block where it has nothing to build on. */
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
  /** What the change did to the text as it was right before. */
  readonly delta: readonly TextChange[];
}

export interface BlockWatcher {
  snapshot(header: BlockHeader, document: Uint8Array, textHash: string): void;
  deliver(changes: readonly BlockChange[]): void;
}
