import { assert, must, unreachable } from "../../../core/base/assert.ts";
import { isOpen, touchedAt } from "../../../core/block/suggestion/suggestion.ts";
import type { BlockHeader, BlockChange } from "../../../core/block/types.ts";
import type { RootId } from "../../../core/base/ids.ts";
import { rowKey } from "../../../core/rights/rights-row.ts";
import type { LeaseWrite, StoreRefusal, StoreWrite } from "../../../core/port/store.ts";
import { preempted, refusedAcquisition, refusedClaim } from "../shared/lease-condition.ts";
import { deleteNodes, putBookmark, putNode, putRoot, rehashBelow } from "./apply-forest.ts";
import { deleteRoot } from "./delete-root.ts";
import { Draft } from "./draft.ts";
import { deletedBlock, purgeBlock, trimChanges } from "./apply-log.ts";
import { dropTrashedNodes, putTrash, trashRoot } from "./trash.ts";
import { clientRequestKey, requestKey, type MemoryTables } from "./tables.ts";

/**
 * Applies all writes in order, or none: a refusal restores the previous state. Throws on a caller's mistake, and restores
 * it likewise.
 */
export function applyAll(tables: MemoryTables, writes: readonly StoreWrite[]): StoreRefusal | null {
  const draft = new Draft(tables);
  try {
    for (const [index, write] of writes.entries()) {
      const refused = apply(draft, write, index);
      if (refused === null) continue;
      draft.undo();
      return refused;
    }
    return null;
  } catch (bug) {
    draft.undo();
    throw bug;
  }
}

function apply(draft: Draft, write: StoreWrite, index: number): StoreRefusal | null {
  const { tables } = draft;
  switch (write.type) {
    case "put-root":
      return putRoot(draft, write.root) ? null : conflict(index, null);
    case "put-node":
      return putNode(draft, write.node) ? null : conflict(index, null);
    case "rehash-below":
      rehashBelow(draft, write.nodeId);
      return null;
    case "delete-nodes":
      return deleteNodes(draft, write) ? null : conflict(index, null);
    case "delete-root":
      return deleteRoot(draft, write) ? null : conflict(index, null);
    case "trash-root":
      return trashRoot(draft, write) ? null : conflict(index, null);
    case "restore-root":
      if (!tables.trashedRoots.has(write.rootId)) return conflict(index, null);
      draft.delete(tables.trashedRoots, write.rootId);
      return null;
    case "put-trashed-nodes":
      draft.set(tables.trashedNodes, write.trashId, write.nodes);
      return null;
    case "drop-trashed-nodes":
      dropTrashedNodes(draft, write);
      return null;
    case "put-bookmark":
      putBookmark(draft, write.bookmark);
      return null;
    case "delete-bookmark":
      draft.delete(tables.bookmarksByTitle, write.title);
      return null;
    case "put-folder":
      draft.place(tables.foldersById, write.folder.id, write.folder);
      return null;
    case "put-block-words": {
      const { blockId, version, text } = write;
      assert(tables.headersById.has(blockId), `the block of words ${blockId} is stored`);
      const stored = tables.wordsByBlock.get(blockId);
      if (stored === undefined || stored.version <= version) draft.set(tables.wordsByBlock, blockId, { version, text });
      return null;
    }
    case "put-run": {
      assert(tables.rootsById.has(write.run.rootId), `the root of ${write.run.id} is stored`);
      const stored = tables.runsById.get(write.run.id)?.value;
      if ((stored?.eventSeq ?? null) !== write.expectedEventSeq) return conflict(index, stored?.eventSeq ?? null);
      assert(stored === undefined || stored.rootId === write.run.rootId, "a run keeps its conversation");
      draft.place(tables.runsById, write.run.id, write.run);
      return null;
    }
    case "put-run-event": {
      const { runId, seq } = write.record;
      assert(tables.runsById.has(runId), `the run of event ${runId}/${seq} is stored`);
      const stored = tables.eventsByRun.get(runId) ?? [];
      if ((stored.at(-1)?.seq ?? 0) < seq) {
        draft.push(tables.eventsByRun, runId, write.record);
      } else {
        const others = stored.filter((record) => record.seq !== seq);
        draft.set(
          tables.eventsByRun,
          runId,
          [...others, write.record].toSorted((a, b) => a.seq - b.seq),
        );
      }
      return null;
    }
    case "append-feed": {
      assert(tables.rootsById.has(write.record.rootId), `the root of feed ${write.record.rootId} is stored`);
      const stored = tables.feedsByRoot.get(write.record.rootId)?.at(-1)?.seq ?? 0;
      if (write.record.seq !== stored + 1) return conflict(index, stored);
      draft.push(tables.feedsByRoot, write.record.rootId, write.record);
      return null;
    }
    case "trim-feed": {
      const stored = tables.feedsByRoot.get(write.rootId);
      if (stored === undefined) return null;
      const kept = stored.filter(({ seq }, index) => seq >= write.beforeSeq || index === stored.length - 1);
      if (kept.length < stored.length) draft.set(tables.feedsByRoot, write.rootId, kept);
      return null;
    }
    case "put-effect":
      assert(tables.runsById.has(write.effect.runId), `the run of effect ${write.effect.id} is stored`);
      draft.place(tables.effectsById, write.effect.id, write.effect);
      return null;
    case "start-effect": {
      const stored = tables.effectsById.get(write.id)?.value;
      if (stored === undefined || stored.startedAt !== null) return conflict(index, stored?.startedAt ?? null);
      draft.place(tables.effectsById, write.id, { ...stored, startedAt: write.at });
      return null;
    }
    case "finish-effect":
      draft.delete(tables.effectsById, write.id);
      return null;
    case "finish-effects-of-run":
      for (const [id, { value }] of tables.effectsById) {
        if (value.runId === write.runId) draft.delete(tables.effectsById, id);
      }
      return null;
    case "put-waiting":
      assert(tables.runsById.has(write.waiting.runId), `the run of waiting message ${write.waiting.id} is stored`);
      draft.set(tables.waitingById, write.waiting.id, write.waiting);
      return null;
    case "delete-waiting":
      draft.delete(tables.waitingById, write.id);
      return null;
    case "put-change":
      return putChange(draft, write, index);
    case "put-snapshot": {
      const { snapshot } = write;
      assert(tables.headersById.has(snapshot.blockId), `the block of snapshot ${snapshot.blockId} is stored`);
      const stored = tables.snapshotsByBlock.get(snapshot.blockId);
      if (stored !== undefined && stored.version > snapshot.version) return null;
      draft.set(tables.snapshotsByBlock, snapshot.blockId, { ...snapshot, bytes: snapshot.bytes.slice() });
      return null;
    }
    case "put-revision": {
      const { revision, text } = write;
      assert(tables.headersById.has(revision.canvasId), `the canvas of revision ${revision.revisionId} is stored`);
      const last = tables.revisionsByCanvas.get(revision.canvasId)?.at(-1)?.revision;
      if (last !== undefined && (last.hash === revision.hash || last.version >= revision.version)) return null;
      draft.push(tables.revisionsByCanvas, revision.canvasId, { revision, text });
      return null;
    }
    case "put-draft-revision": {
      const { revision, text } = write;
      assert(tables.headersById.has(revision.canvasId), `the canvas of revision ${revision.revisionId} is stored`);
      const kept = tables.draftRevisionsByCanvas.get(revision.canvasId) ?? [];
      const last = kept.findLast((one) => one.revision.draftId === revision.draftId)?.revision;
      if (last?.hash === revision.hash || (last?.draftVersion ?? 0) >= revision.draftVersion) return null;
      draft.set(tables.draftRevisionsByCanvas, revision.canvasId, [...kept, { revision, text }]);
      return null;
    }
    case "delete-draft-revisions": {
      const kept = tables.draftRevisionsByCanvas.get(write.canvasId);
      if (kept === undefined) return null;
      const left = kept.filter(({ revision }) => revision.draftId !== write.draftId);
      draft.set(tables.draftRevisionsByCanvas, write.canvasId, left);
      return null;
    }
    case "trim-changes":
      return trimChanges(draft, write)
        ? null
        : conflict(index, tables.snapshotsByBlock.get(write.blockId)?.version ?? null);
    case "purge-block":
      return purgeBlock(draft, write) ? null : conflict(index, deletedBlock(tables, write.blockId)?.version ?? null);
    case "put-suggestion": {
      const { suggestion } = write;
      const stored = tables.suggestionsById.get(suggestion.id);
      if ((stored?.version ?? 0) !== suggestion.version - 1) return conflict(index, stored?.version ?? null);
      assert(tables.headersById.has(suggestion.canvasId), `the canvas of suggestion ${suggestion.id} is stored`);
      const keeps = stored?.canvasId === suggestion.canvasId && stored.createdAt === suggestion.createdAt;
      assert(stored === undefined || keeps, "a suggestion keeps its canvas and its time");
      draft.set(tables.suggestionsById, suggestion.id, suggestion);
      return null;
    }
    case "put-thread": {
      const { thread } = write;
      const stored = tables.threadsById.get(thread.id);
      if ((stored?.version ?? 0) !== thread.version - 1) return conflict(index, stored?.version ?? null);
      assert(tables.headersById.has(thread.blockId), `the document of thread ${thread.id} is stored`);
      assert(stored === undefined || stored.createdAt === thread.createdAt, "a thread keeps its time");
      draft.set(tables.threadsById, thread.id, thread);
      return null;
    }
    case "delete-thread":
      draft.delete(tables.threadsById, write.id);
      return null;
    case "delete-suggestions":
      for (const suggestion of tables.suggestionsById.values()) {
        const { id, canvasId } = suggestion;
        const isGone = write.before === null || (!isOpen(suggestion) && touchedAt(suggestion) < write.before);
        if (canvasId === write.canvasId && isGone) draft.delete(tables.suggestionsById, id);
      }
      return null;
    case "put-trash":
      return putTrash(draft, write.entry) ? null : conflict(index, null);
    case "delete-trash":
      if (!tables.trashById.has(write.id)) return conflict(index, null);
      draft.delete(tables.trashById, write.id);
      return null;
    case "put-replica": {
      const stored = tables.replicasById.get(write.replica.replica);
      if (stored !== undefined && stored.actor.id !== write.replica.actor.id) return conflict(index, stored.replica);
      draft.set(tables.replicasById, write.replica.replica, write.replica);
      return null;
    }
    case "put-request": {
      const { request } = write;
      assertRootStored(tables, request.rootId, `the request ${request.requestId}`);
      const key = clientRequestKey(request);
      if (tables.requestsByKey.has(key)) return conflict(index, null);
      draft.set(tables.requestsByKey, key, request);
      return null;
    }
    case "delete-requests":
      for (const [key, { at }] of tables.requestsByKey) {
        if (at < write.before) draft.delete(tables.requestsByKey, key);
      }
      return null;
    case "put-approval-rule": {
      const { rule } = write;
      const stored = tables.approvalRulesById.get(rule.id);
      assertRootStored(tables, rule.rootId, `the rule ${rule.id}`);
      assert(stored === undefined || stored.rootId === rule.rootId, "an approval rule keeps its conversation");
      draft.set(tables.approvalRulesById, rule.id, rule);
      return null;
    }
    case "delete-approval-rule":
      draft.delete(tables.approvalRulesById, write.id);
      return null;
    case "put-rights": {
      const stored = Math.max(0, ...[...tables.rightsByKey.values()].map(({ seq }) => seq));
      if (write.seq !== stored + 1) return conflict(index, stored);
      assert(write.rows.length > 0, "a change of rights has rows");
      for (const row of write.rows) draft.set(tables.rightsByKey, rowKey(row), { seq: write.seq, row });
      return null;
    }
    case "append-audit": {
      const stored = tables.auditLog.get("audit")?.length ?? 0;
      if (write.entry.seq !== stored + 1) return conflict(index, stored);
      draft.push(tables.auditLog, "audit", write.entry);
      return null;
    }
    case "put-sign-in":
      draft.set(tables.signInFacts, write.fact.key, structuredClone(write.fact));
      return null;
    case "delete-sign-in":
      if (!tables.signInFacts.has(write.key)) return conflict(index, null);
      draft.delete(tables.signInFacts, write.key);
      return null;
    case "put-meta":
      draft.set(tables.metaByKey, write.key, write.value);
      return null;
    case "acquire-lease":
    case "renew-lease":
    case "release-lease":
    case "preempt-lease":
      return applyLease(draft, write, index);
    case "guard-lease": {
      const lease = tables.leasesByCanvas.get(write.canvasId) ?? null;
      const code = refusedClaim(lease, write);
      return code === null ? null : { code, index, lease };
    }
    default:
      return unreachable(write);
  }
}

function applyLease(draft: Draft, write: LeaseWrite, index: number): StoreRefusal | null {
  const { leasesByCanvas } = draft.tables;
  switch (write.type) {
    case "acquire-lease":
    case "renew-lease": {
      const { leaseId, holder } = must(write.lease.held, "an acquired or renewed lease is held");
      const stored = leasesByCanvas.get(write.lease.canvasId) ?? null;
      const claim = { leaseId, holder, epoch: write.lease.epoch, monotonicMs: write.monotonicMs };
      const code = write.type === "acquire-lease" ? refusedAcquisition(stored, claim) : refusedClaim(stored, claim);
      if (code !== null) return { code, index, lease: stored };
      draft.set(leasesByCanvas, write.lease.canvasId, write.lease);
      return null;
    }
    case "release-lease": {
      const stored = leasesByCanvas.get(write.canvasId);
      if (stored?.held?.leaseId === write.leaseId) draft.set(leasesByCanvas, write.canvasId, { ...stored, held: null });
      return null;
    }
    case "preempt-lease": {
      const stored = leasesByCanvas.get(write.canvasId) ?? null;
      draft.set(leasesByCanvas, write.canvasId, preempted(stored, write));
      return null;
    }
    default:
      return unreachable(write);
  }
}

function putChange(
  draft: Draft,
  write: { readonly header: BlockHeader; readonly change: BlockChange },
  index: number,
): StoreRefusal | null {
  const { header, change } = write;
  const { tables } = draft;
  const isOne =
    header.id === change.blockId && header.documentId === change.documentId && header.version === change.version;
  assert(isOne, "header and change are of one mutation");
  if (change.requestId !== undefined) {
    const key = requestKey(change.blockId, change.requestId);
    const version = tables.versionsByRequest.get(key);
    if (version !== undefined) return { code: "DUPLICATE_REQUEST", index, version };
    draft.set(tables.versionsByRequest, key, change.version);
  }
  const stored = tables.headersById.get(header.id)?.value;
  if (change.version !== (stored?.version ?? 0) + 1) return conflict(index, stored?.version ?? null);
  const keeps = stored === undefined || (stored.documentId === header.documentId && stored.kind === header.kind);
  assert(keeps, "a block keeps its document and its kind");
  draft.place(tables.headersById, header.id, header);
  draft.push(tables.changesByBlock, change.blockId, { place: draft.nextPlace(), value: ownBytes(change) });
  return null;
}

/** Copies a change's bytes, so that the caller may reuse its buffer. */
function ownBytes(change: BlockChange): BlockChange {
  const { body } = change;
  if (body.type !== "created" && body.type !== "text") return change;
  return { ...change, body: { ...body, update: body.update.slice() } };
}

function assertRootStored(tables: MemoryTables, rootId: RootId | null, what: string): void {
  assert(rootId === null || tables.rootsById.has(rootId), `the root of ${what} is stored`);
}

function conflict(index: number, stored: number | null): StoreRefusal {
  return { code: "CONFLICT", index, stored };
}
