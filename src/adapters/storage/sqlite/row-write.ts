import type { ThreadId } from "../../../core/base/ids.ts";
import { assert, unreachable } from "../../../core/base/assert.ts";
import { encodeInteger } from "../row/encode-json.ts";
import type { RowRefusal, Statements } from "../row/sql.ts";
import type { TableWrite } from "../shared/long-snapshots.ts";
import {
  applyPutChange,
  applyPutText,
  encodeHeader,
  encodeVersion,
  type HeaderRow,
  type VersionRow,
} from "./tables/blocks.ts";
import { encodeChange, type ChangeRow } from "./tables/change-row.ts";
import {
  applyPurgeBlock,
  applyTrimChanges,
  encodeLogStart,
  encodePurge,
  type LogStartRow,
  type PurgeRow,
} from "./tables/log-starts.ts";
import {
  applyDeleteApprovalRule,
  applyPutApprovalRule,
  encodeApprovalRule,
  type ApprovalRuleRow,
} from "./tables/approval-rules.ts";
import { applyPutRoot, encodeRoot, type ConversationRow } from "./tables/conversations.ts";
import { applyAppendFeed, applyTrimFeed, encodeFeed, type FeedRow } from "./tables/feed.ts";
import {
  applyAcquire,
  applyGuard,
  applyPreempt,
  applyRelease,
  applyRenew,
  encodeGuard,
  encodeLease,
  type GuardRow,
  type LeaseChangeRow,
} from "./tables/leases.ts";
import { applyDeleteRoot, encodeRootDeletion, type RootDeletionRow } from "./tables/deleted-conversations.ts";
import { applyDeleteNodes } from "./tables/deleted-messages.ts";
import { applyPutFolder, encodeFolder, type FolderRow } from "./tables/folders.ts";
import { applyPutBookmark, applyDeleteBookmark, encodeBookmark, type BookmarkRow } from "./tables/bookmarks.ts";
import { applyPutBlockWords } from "./tables/block-words.ts";
import { applyPutNode, applyRehashBelow, encodeNode, wordsOf, type MessageRow } from "./tables/messages.ts";
import {
  applyPutReplica,
  applyPutMeta,
  encodeReplica,
  encodeMeta,
  type ReplicaRow,
  type MetaRow,
} from "./tables/registry.ts";
import { applyDeleteRequests, applyPutRequest, encodeRequest, type RequestRow } from "./tables/requests.ts";
import {
  applyAppendAudit,
  applyPutRights,
  encodeAudit,
  encodeRights,
  type AuditRow,
  type RightsRows,
} from "./tables/rights.ts";
import { applyDeleteSignIn, applyPutSignIn, encodeSignIn, type SignInRow } from "./tables/sign-in.ts";
import {
  applyDeleteDraftRevisions,
  applyPutDraftRevision,
  applyPutRevision,
  encodeDraftRevision,
  encodeRevision,
  type DraftRevisionRow,
  type DraftRevisionsDeletedRow,
  type RevisionRow,
} from "./tables/revisions.ts";
import { applyPutRunEvent, encodeRunEvent, type RunEventRow } from "./tables/run-events.ts";
import {
  applyFinishEffect,
  applyFinishEffectsOfRun,
  applyPutEffect,
  applyPutRun,
  applyStartEffect,
  encodeEffect,
  encodeRun,
  type EffectRow,
  type RunRow,
} from "./tables/runs.ts";
import {
  applyDeletePiece,
  applyNameSnapshot,
  applyPutPiece,
  applyPutSnapshot,
  encodeNamedSnapshot,
  encodePiece,
  encodePieceKey,
  encodeSnapshot,
  type PieceKeyRow,
  type PieceRow,
  type SnapshotRow,
} from "./tables/snapshots.ts";
import {
  applyDeleteSuggestions,
  applyPutSuggestion,
  encodeSuggestion,
  encodeSuggestionsDeleted,
  type SuggestionRow,
  type SuggestionsDeletedRow,
} from "./tables/suggestions.ts";
import { applyDeleteThread, applyPutThread, encodeThread, type ThreadRow } from "./tables/threads.ts";
import {
  applyDeleteTrash,
  applyDropTrashedNodes,
  applyPutTrash,
  applyPutTrashedNodes,
  applyRestoreRoot,
  applyTrashRoot,
  encodeTrash,
  encodeTrashedNodes,
  type TrashedNodeRow,
  type TrashRow,
} from "./tables/trash.ts";
import { applyDeleteWaiting, applyPutWaiting, encodeWaiting, type WaitingRow } from "./tables/waiting-messages.ts";

/** A write in the form sent to the storage thread: values ready to be bound, cheap to copy. */
export type RowWrite =
  | { readonly type: "put-root"; readonly row: ConversationRow }
  | { readonly type: "put-node"; readonly row: MessageRow; readonly words: string }
  | { readonly type: "rehash-below"; readonly nodeId: string }
  | { readonly type: "delete-nodes"; readonly rootId: string; readonly ids: readonly string[]; readonly at: number }
  | { readonly type: "delete-root"; readonly row: RootDeletionRow }
  | { readonly type: "put-bookmark"; readonly row: BookmarkRow }
  | { readonly type: "delete-bookmark"; readonly title: string }
  | { readonly type: "put-folder"; readonly row: FolderRow }
  | { readonly type: "put-block-words"; readonly blockId: string; readonly version: number; readonly text: string }
  | { readonly type: "put-run"; readonly row: RunRow; readonly expectedEventSeq: number | null }
  | { readonly type: "put-run-event"; readonly row: RunEventRow }
  | { readonly type: "append-feed"; readonly row: FeedRow }
  | { readonly type: "trim-feed"; readonly rootId: string; readonly beforeSeq: number }
  | { readonly type: "put-effect"; readonly row: EffectRow }
  | { readonly type: "start-effect"; readonly id: string; readonly at: number }
  | { readonly type: "finish-effect"; readonly id: string }
  | { readonly type: "finish-effects-of-run"; readonly runId: string }
  | { readonly type: "put-waiting"; readonly row: WaitingRow }
  | { readonly type: "delete-waiting"; readonly id: string }
  | { readonly type: "put-change"; readonly header: HeaderRow; readonly row: ChangeRow }
  | { readonly type: "put-text"; readonly header: VersionRow; readonly row: ChangeRow }
  | { readonly type: "put-snapshot"; readonly row: SnapshotRow; readonly handsOver: boolean }
  | { readonly type: "put-snapshot-piece"; readonly row: PieceRow }
  | { readonly type: "name-snapshot"; readonly row: SnapshotRow }
  | { readonly type: "delete-snapshot-piece"; readonly row: PieceKeyRow }
  | { readonly type: "trim-changes"; readonly row: LogStartRow }
  | { readonly type: "purge-block"; readonly row: PurgeRow }
  | { readonly type: "put-revision"; readonly row: RevisionRow }
  | { readonly type: "put-draft-revision"; readonly row: DraftRevisionRow }
  | { readonly type: "delete-draft-revisions"; readonly row: DraftRevisionsDeletedRow }
  | { readonly type: "put-thread"; readonly row: ThreadRow }
  | { readonly type: "delete-thread"; readonly id: ThreadId }
  | { readonly type: "put-suggestion"; readonly row: SuggestionRow }
  | { readonly type: "delete-suggestions"; readonly row: SuggestionsDeletedRow }
  | { readonly type: "put-trash"; readonly row: TrashRow }
  | { readonly type: "delete-trash"; readonly id: string }
  | { readonly type: "trash-root"; readonly rootId: string; readonly at: number }
  | { readonly type: "restore-root"; readonly rootId: string }
  | { readonly type: "put-trashed-nodes"; readonly rows: readonly TrashedNodeRow[] }
  | { readonly type: "drop-trashed-nodes"; readonly trashId: string; readonly restores: boolean }
  | { readonly type: "put-replica"; readonly row: ReplicaRow }
  | { readonly type: "put-request"; readonly row: RequestRow }
  | { readonly type: "delete-requests"; readonly before: number }
  | { readonly type: "put-approval-rule"; readonly row: ApprovalRuleRow }
  | { readonly type: "delete-approval-rule"; readonly id: string }
  | { readonly type: "put-rights"; readonly row: RightsRows }
  | { readonly type: "append-audit"; readonly row: AuditRow }
  | { readonly type: "put-sign-in"; readonly row: SignInRow }
  | { readonly type: "delete-sign-in"; readonly key: string }
  | { readonly type: "put-meta"; readonly row: MetaRow }
  | { readonly type: "acquire-lease" | "renew-lease"; readonly row: LeaseChangeRow }
  | { readonly type: "release-lease"; readonly canvasId: string; readonly leaseId: string }
  | { readonly type: "preempt-lease"; readonly canvasId: string; readonly epoch: number }
  | { readonly type: "guard-lease"; readonly row: GuardRow };

/** Encodes on the caller's thread: JSON text is cheaper to transfer than objects. */
export function encodeWrite(write: TableWrite): RowWrite {
  switch (write.type) {
    case "put-root":
      return { type: write.type, row: encodeRoot(write.root) };
    case "put-node":
      return { type: write.type, row: encodeNode(write.node), words: wordsOf(write.node) };
    case "delete-nodes":
      return { ...write, at: encodeInteger(write.at, "at") };
    case "delete-root":
      return { type: write.type, row: encodeRootDeletion(write) };
    case "put-bookmark":
      return { type: write.type, row: encodeBookmark(write.bookmark) };
    case "put-folder":
      return { type: write.type, row: encodeFolder(write.folder) };
    case "put-block-words":
      return { ...write, version: encodeInteger(write.version, "version") };
    case "put-run":
      return { type: write.type, row: encodeRun(write.run), expectedEventSeq: write.expectedEventSeq };
    case "put-run-event":
      return { type: write.type, row: encodeRunEvent(write.record) };
    case "append-feed":
      return { type: write.type, row: encodeFeed(write.record) };
    case "trim-feed":
      return { ...write, beforeSeq: encodeInteger(write.beforeSeq, "beforeSeq") };
    case "put-effect":
      return { type: write.type, row: encodeEffect(write.effect) };
    case "start-effect":
      return { type: write.type, id: write.id, at: encodeInteger(write.at, "at") };
    case "rehash-below":
    case "finish-effect":
    case "finish-effects-of-run":
    case "delete-waiting":
    case "release-lease":
    case "delete-bookmark":
    case "delete-approval-rule":
    case "delete-trash":
    case "restore-root":
    case "drop-trashed-nodes":
      return write;
    case "put-waiting":
      return { type: write.type, row: encodeWaiting(write.waiting) };
    case "put-change": {
      const { header, change } = write;
      const isOne =
        header.id === change.blockId && header.documentId === change.documentId && header.version === change.version;
      assert(isOne, "header and change are of one mutation");
      const row = encodeChange(change);
      // A keystroke changes only two numbers of the header.
      const isText = change.body.type === "text" && change.body.starts !== true && change.version > 1;
      return isText
        ? { type: "put-text", header: encodeVersion(header), row }
        : { type: write.type, header: encodeHeader(header), row };
    }
    case "put-snapshot":
      return { type: write.type, row: encodeSnapshot(write.snapshot), handsOver: write.handsOver === true };
    case "put-snapshot-piece":
      return { type: write.type, row: encodePiece(write) };
    case "name-snapshot":
      return { type: write.type, row: encodeNamedSnapshot(write) };
    case "delete-snapshot-piece":
      return { type: write.type, row: encodePieceKey(write.key) };
    case "trim-changes":
      return { type: write.type, row: encodeLogStart(write) };
    case "purge-block":
      return { type: write.type, row: encodePurge(write) };
    case "put-revision":
      return { type: write.type, row: encodeRevision(write.revision, write.text) };
    case "put-draft-revision":
      return { type: write.type, row: encodeDraftRevision(write.revision, write.text) };
    case "delete-draft-revisions":
      return { type: write.type, row: [write.canvasId, write.draftId] };
    case "put-thread":
      return { type: write.type, row: encodeThread(write.thread) };
    case "delete-thread":
      return { type: write.type, id: write.id };
    case "put-suggestion":
      return { type: write.type, row: encodeSuggestion(write.suggestion) };
    case "delete-suggestions":
      return { type: write.type, row: encodeSuggestionsDeleted(write) };
    case "trash-root":
      return { ...write, at: encodeInteger(write.at, "at") };
    case "put-trashed-nodes":
      return { type: write.type, rows: encodeTrashedNodes(write) };
    case "put-trash":
      return { type: write.type, row: encodeTrash(write.entry) };
    case "put-replica":
      return { type: write.type, row: encodeReplica(write.replica) };
    case "put-request":
      return { type: write.type, row: encodeRequest(write.request) };
    case "delete-requests":
      return { type: write.type, before: encodeInteger(write.before, "before") };
    case "put-approval-rule":
      return { type: write.type, row: encodeApprovalRule(write.rule) };
    case "put-rights":
      return { type: write.type, row: encodeRights(write.seq, write.rows) };
    case "append-audit":
      return { type: write.type, row: encodeAudit(write.entry) };
    case "put-sign-in":
      return { type: write.type, row: encodeSignIn(write.fact) };
    case "delete-sign-in":
      return write;
    case "put-meta":
      return { type: write.type, row: encodeMeta(write.key, write.value) };
    case "acquire-lease":
    case "renew-lease":
      return { type: write.type, row: encodeLease(write) };
    case "preempt-lease":
      return { ...write, epoch: encodeInteger(write.epoch, "epoch") };
    case "guard-lease":
      return { type: write.type, row: encodeGuard(write) };
    default:
      return unreachable(write);
  }
}

/** Makes one write inside the open transaction, or returns its refusal. */
export function applyWrite(statements: Statements, write: RowWrite): RowRefusal | null {
  switch (write.type) {
    case "put-root":
      return applyPutRoot(statements, write.row);
    case "put-node":
      return applyPutNode(statements, write.row, write.words);
    case "rehash-below":
      return applyRehashBelow(statements, write.nodeId);
    case "delete-nodes":
      return applyDeleteNodes(statements, write);
    case "delete-root":
      return applyDeleteRoot(statements, write.row);
    case "put-bookmark":
      return applyPutBookmark(statements, write.row);
    case "delete-bookmark":
      return applyDeleteBookmark(statements, write.title);
    case "put-folder":
      return applyPutFolder(statements, write.row);
    case "put-block-words":
      return applyPutBlockWords(statements, write.blockId, write.version, write.text);
    case "put-run":
      return applyPutRun(statements, write.row, write.expectedEventSeq);
    case "put-run-event":
      return applyPutRunEvent(statements, write.row);
    case "append-feed":
      return applyAppendFeed(statements, write.row);
    case "trim-feed":
      return applyTrimFeed(statements, write.rootId, write.beforeSeq);
    case "put-effect":
      return applyPutEffect(statements, write.row);
    case "start-effect":
      return applyStartEffect(statements, write.id, write.at);
    case "finish-effect":
      return applyFinishEffect(statements, write.id);
    case "finish-effects-of-run":
      return applyFinishEffectsOfRun(statements, write.runId);
    case "put-waiting":
      return applyPutWaiting(statements, write.row);
    case "delete-waiting":
      return applyDeleteWaiting(statements, write.id);
    case "put-change":
      return applyPutChange(statements, write.header, write.row);
    case "put-text":
      return applyPutText(statements, write.header, write.row);
    case "put-snapshot":
      return applyPutSnapshot(statements, write.row);
    case "put-snapshot-piece":
      return applyPutPiece(statements, write.row);
    case "name-snapshot":
      return applyNameSnapshot(statements, write.row);
    case "delete-snapshot-piece":
      return applyDeletePiece(statements, write.row);
    case "trim-changes":
      return applyTrimChanges(statements, write.row);
    case "purge-block":
      return applyPurgeBlock(statements, write.row);
    case "put-revision":
      return applyPutRevision(statements, write.row);
    case "put-draft-revision":
      return applyPutDraftRevision(statements, write.row);
    case "delete-draft-revisions":
      return applyDeleteDraftRevisions(statements, write.row);
    case "put-thread":
      return applyPutThread(statements, write.row);
    case "delete-thread":
      return applyDeleteThread(statements, write.id);
    case "put-suggestion":
      return applyPutSuggestion(statements, write.row);
    case "delete-suggestions":
      return applyDeleteSuggestions(statements, write.row);
    case "put-trash":
      return applyPutTrash(statements, write.row);
    case "delete-trash":
      return applyDeleteTrash(statements, write.id);
    case "trash-root":
      return applyTrashRoot(statements, write.rootId, write.at);
    case "restore-root":
      return applyRestoreRoot(statements, write.rootId);
    case "put-trashed-nodes":
      return applyPutTrashedNodes(statements, write.rows);
    case "drop-trashed-nodes":
      return applyDropTrashedNodes(statements, write.trashId, write.restores);
    case "put-replica":
      return applyPutReplica(statements, write.row);
    case "put-request":
      return applyPutRequest(statements, write.row);
    case "delete-requests":
      return applyDeleteRequests(statements, write.before);
    case "put-approval-rule":
      return applyPutApprovalRule(statements, write.row);
    case "delete-approval-rule":
      return applyDeleteApprovalRule(statements, write.id);
    case "put-rights":
      return applyPutRights(statements, write.row);
    case "append-audit":
      return applyAppendAudit(statements, write.row);
    case "put-sign-in":
      return applyPutSignIn(statements, write.row);
    case "delete-sign-in":
      return applyDeleteSignIn(statements, write.key);
    case "put-meta":
      return applyPutMeta(statements, write.row);
    case "acquire-lease":
      return applyAcquire(statements, write.row);
    case "renew-lease":
      return applyRenew(statements, write.row);
    case "release-lease":
      return applyRelease(statements, write.canvasId, write.leaseId);
    case "preempt-lease":
      return applyPreempt(statements, write.canvasId, write.epoch);
    case "guard-lease":
      return applyGuard(statements, write.row);
    default:
      return unreachable(write);
  }
}
