import { unreachable } from "../../../core/base/assert.ts";
import type { TableWrite } from "../shared/long-snapshots.ts";
import type { PlannedWrite } from "./plan/planned-write.ts";
import { planDeleteApprovalRule, planPutApprovalRule } from "./tables/approval-rules.ts";
import { planPutChange } from "./tables/blocks.ts";
import { planPutFolder } from "./tables/folders.ts";
import { planDeleteBookmark, planPutBookmark } from "./tables/bookmarks.ts";
import { planPutBlockWords } from "./tables/block-words.ts";
import { planPutRoot } from "./tables/conversations.ts";
import { planDeleteRoot } from "./tables/deleted-conversations.ts";
import { planAppendFeed, planTrimFeed } from "./tables/feed.ts";
import { planLeaseWrite } from "./tables/leases.ts";
import { planPurgeBlock, planTrimChanges } from "./tables/log-starts.ts";
import { planDeleteNodes, planPutNode, planRehashBelow } from "./tables/messages.ts";
import { planPutReplica, planPutMeta } from "./tables/registry.ts";
import { planDeleteRequests, planPutRequest } from "./tables/requests.ts";
import { planDeleteDraftRevisions, planPutDraftRevision, planPutRevision } from "./tables/revisions.ts";
import { planDeletePiece, planNameSnapshot, planPutPiece, planPutSnapshot } from "./tables/snapshots.ts";
import { planDeleteSuggestions, planPutSuggestion } from "./tables/suggestions.ts";
import { planAppendAudit, planPutRights } from "./tables/rights.ts";
import { planDeleteSignIn, planPutSignIn } from "./tables/sign-in.ts";
import { planDeleteThread, planPutThread } from "./tables/threads.ts";
import {
  planDeleteTrash,
  planDropTrashedNodes,
  planPutTrash,
  planPutTrashedNodes,
  planRestoreRoot,
  planTrashRoot,
} from "./tables/trash.ts";
import { planDeleteWaiting, planPutWaiting } from "./tables/waiting-messages.ts";
import { planPutRunEvent } from "./tables/run-events.ts";
import { planFinishEffect, planFinishEffectsOfRun, planPutEffect, planPutRun, planStartEffect } from "./tables/runs.ts";

/** Plans the statements of a write. Throws when the write is malformed. */
export function planWrite(write: TableWrite): PlannedWrite {
  switch (write.type) {
    case "put-root":
      return planPutRoot(write.root);
    case "put-node":
      return planPutNode(write.node);
    case "rehash-below":
      return planRehashBelow(write);
    case "delete-nodes":
      return planDeleteNodes(write);
    case "delete-root":
      return planDeleteRoot(write);
    case "put-bookmark":
      return planPutBookmark(write.bookmark);
    case "delete-bookmark":
      return planDeleteBookmark(write.title);
    case "put-folder":
      return planPutFolder(write.folder);
    case "put-block-words":
      return planPutBlockWords(write);
    case "put-run":
      return planPutRun(write.run, write.expectedEventSeq);
    case "put-run-event":
      return planPutRunEvent(write.record);
    case "append-feed":
      return planAppendFeed(write.record);
    case "trim-feed":
      return planTrimFeed(write);
    case "put-effect":
      return planPutEffect(write.effect);
    case "start-effect":
      return planStartEffect(write.id, write.at);
    case "finish-effect":
      return planFinishEffect(write.id);
    case "finish-effects-of-run":
      return planFinishEffectsOfRun(write.runId);
    case "put-waiting":
      return planPutWaiting(write.waiting);
    case "delete-waiting":
      return planDeleteWaiting(write.id);
    case "put-change":
      return planPutChange(write.header, write.change);
    case "put-snapshot":
      return planPutSnapshot(write.snapshot);
    case "put-snapshot-piece":
      return planPutPiece(write);
    case "name-snapshot":
      return planNameSnapshot(write);
    case "delete-snapshot-piece":
      return planDeletePiece(write);
    case "trim-changes":
      return planTrimChanges(write);
    case "purge-block":
      return planPurgeBlock(write);
    case "put-revision":
      return planPutRevision(write.revision, write.text);
    case "put-draft-revision":
      return planPutDraftRevision(write.revision, write.text);
    case "delete-draft-revisions":
      return planDeleteDraftRevisions(write);
    case "put-suggestion":
      return planPutSuggestion(write.suggestion);
    case "delete-suggestions":
      return planDeleteSuggestions(write);
    case "put-thread":
      return planPutThread(write.thread);
    case "delete-thread":
      return planDeleteThread(write.id);
    case "put-trash":
      return planPutTrash(write.entry);
    case "delete-trash":
      return planDeleteTrash(write.id);
    case "trash-root":
      return planTrashRoot(write);
    case "restore-root":
      return planRestoreRoot(write);
    case "put-trashed-nodes":
      return planPutTrashedNodes(write);
    case "drop-trashed-nodes":
      return planDropTrashedNodes(write);
    case "put-replica":
      return planPutReplica(write.replica);
    case "put-request":
      return planPutRequest(write.request);
    case "delete-requests":
      return planDeleteRequests(write.before);
    case "put-approval-rule":
      return planPutApprovalRule(write.rule);
    case "delete-approval-rule":
      return planDeleteApprovalRule(write.id);
    case "put-rights":
      return planPutRights(write.seq, write.rows);
    case "append-audit":
      return planAppendAudit(write.entry);
    case "put-sign-in":
      return planPutSignIn(write.fact);
    case "delete-sign-in":
      return planDeleteSignIn(write.key);
    case "put-meta":
      return planPutMeta(write.key, write.value);
    case "acquire-lease":
    case "renew-lease":
    case "release-lease":
    case "preempt-lease":
    case "guard-lease":
      return planLeaseWrite(write);
    default:
      return unreachable(write);
  }
}
