import type { Refusal } from "../../core/base/errors.ts";
import type { BlockId, DocumentId, RequestId, TurnId } from "../../core/base/ids.ts";
import type { Result } from "../../core/base/result.ts";
import type { BlockChange, BlockHeader } from "../../core/block/types.ts";
import type { BlockHistory, HistoryPage } from "./history.ts";
import type { Suggestions } from "./suggestions.ts";
import type { TurnPreview } from "./turn-preview.ts";
import type { Author, BlockReading, CatchUp, DocumentHub, EditOptions, TurnUndo } from "./types.ts";
import type { TurnInBlock } from "./undo-ledger.ts";

/** The document hub, with what the rest of the host needs of it beside the common contract. */
export interface HostDocumentHub extends DocumentHub {
  /** What agents suggest for canvases, and its review. */
  readonly suggestions: Suggestions;
  /** Runs `work` while nothing else happens in the block's document: what it is given stays true until it is done. */
  hold<Value>(
    blockId: BlockId,
    work: (reading: BlockReading) => Promise<Result<Value, Refusal>>,
  ): Promise<Result<Value, Refusal>>;
  /** Whether `editWith` would make the change now: gate, plan, checks and guards are the same, and nothing is made. */
  tryEdit(
    author: Author,
    blockId: BlockId,
    plan: Parameters<DocumentHub["editWith"]>[2],
    options?: Pick<EditOptions, "guards">,
  ): Promise<Result<void, Refusal>>;
  /** Tells that a canvas is gone, or that its metadata and so perhaps its title is another. */
  onCanvasChanged(listener: () => void): () => void;
  /** Tells of every commit's changes, of all documents. */
  onChanges(listener: (changes: readonly BlockChange[]) => void): () => void;
  /** Tells of every file block that a commit changed, with the header that it left. */
  onFileChanged(listener: (header: BlockHeader) => void): () => void;
  /** Undoes everything of an agent's turn that stands, in every file it changed: all or none, and once for a request id. */
  undoTurn(author: Author, turnId: TurnId, requestId?: RequestId): Promise<Result<readonly TurnUndo[], Refusal>>;
  redoTurn(author: Author, turnId: TurnId, requestId?: RequestId): Promise<Result<readonly TurnUndo[], Refusal>>;
  /** What was done to a block, newest first. */
  history(blockId: BlockId, page: HistoryPage): Promise<Result<BlockHistory, Refusal>>;
  /** What a copy of a block at a version lacks; of a deleted one too, up to its end. */
  catchUp(blockId: BlockId, afterVersion: number): Promise<Result<CatchUp, Refusal>>;
  /** Turns of agents that changed this block, newest first. */
  turnsOf(blockId: BlockId): Promise<Result<readonly TurnInBlock[], Refusal>>;
  /** What a turn changed in a block, so that it can be looked at before it is undone or brought back. */
  previewTurn(blockId: BlockId, turnId: TurnId): Promise<Result<TurnPreview, Refusal>>;
  /**
   * Lets go of a file block for good, with all its history: CONFLICT where it is at another version, watched, or a canvas.
   * What is left is a deleted block.
   */
  evict(author: Author, blockId: BlockId, version: number): Promise<Result<void, Refusal>>;
  /**
   * Deletes documents for good with whatever `commit` stores: meanwhile nothing happens in them, and afterwards nothing of
   * them is in memory. They hold no files.
   */
  removeDocuments(
    ids: readonly DocumentId[],
    commit: () => Promise<Result<void, Refusal>>,
  ): Promise<Result<void, Refusal>>;
  /** Writes out all buffered text, so that every header has its last version. */
  settle(): Promise<void>;
}
