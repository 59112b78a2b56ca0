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
import type { ReplicaId, TextChange, TextVersion } from "../../../core/text/types.ts";

/** Who makes a change, under which agent number and in which undo unit. */
export interface Author {
  readonly actor: Actor;
  readonly replica: ReplicaId;
  readonly unit: UndoUnit;
}

export interface NewBlock {
  readonly documentId: DocumentId;
  readonly parentId: BlockId | null;
  /** The sibling directly before the new block. */
  readonly after?: BlockId;
  readonly role: BlockRole;
  readonly kind: BlockKind;
  readonly text: string;
  readonly status: BlockStatus;
  readonly metadata: JsonObject;
  readonly policy?: EditPolicy;
}

/** Options of an edit. */
export interface EditOptions {
  /** Store conditions (a lease) that must hold in the same transaction. */
  readonly guards?: readonly StoreWrite[] | undefined;
  /** Returns further writes of the same transaction, given the new version; not called when nothing changes. */
  readonly also?: ((version: number) => readonly StoreWrite[]) | undefined;
}

/** Options of an undo or redo of the author's own edits. */
export interface UndoOptions extends EditOptions {
  /** Only the unit of this tool call; default: the last unit that can be undone or redone. */
  readonly toolCallId?: ToolCallId | undefined;
}

/** The result of an undo or redo of the author's own edits. */
export interface RevertedUnit extends AcceptedChange {
  /** Names of others who have changed the block since the unit was made; their text stays. */
  readonly changedByOthers: readonly string[];
}

/** A block that an undo or redo of a turn changed. */
export interface RevertedBlock {
  readonly blockId: BlockId;
  readonly version: number;
  /** Names of others who have changed the block since the turn did; their text stays. */
  readonly changedByOthers: readonly string[];
}

/** A block at one moment. */
export interface BlockReading {
  readonly header: BlockHeader;
  readonly text: string;
  /** The text version: edits planned against this text are applied at it. */
  readonly textVersion: TextVersion;
}

/** What a copy is missing: the changes after its version, or the whole block when those are not kept. */
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
  /** Changes against the text right before. */
  readonly delta: readonly TextChange[];
}

export interface BlockWatcher {
  snapshot(header: BlockHeader, document: Uint8Array, textHash: string): void;
  deliver(changes: readonly BlockChange[]): void;
}
