import { conversationOf, trashedId } from "../../../core/forest/trash-entry.ts";
import type { StoreWrite } from "../../../core/port/store.ts";
import { isSettled } from "../../../core/turn/step/precheck.ts";
import type { Draft } from "./draft.ts";
import { requestKey } from "./tables.ts";

/** Deletes a conversation with everything that belongs to it; false when something prevents that. */
export function deleteRoot(
  draft: Draft,
  { rootId, documentId, at }: Extract<StoreWrite, { readonly type: "delete-root" }>,
): boolean {
  const { tables } = draft;
  if (!tables.rootsById.has(rootId)) return true;
  const runs = [...tables.runsById.values()].flatMap(({ value }) => (value.rootId === rootId ? [value] : []));
  if (runs.some(({ state }) => !isSettled(state))) return false;
  if ([...tables.rootsById.values()].some(({ value }) => value.parent?.rootId === rootId)) return false;
  const blocks = [...tables.headersById.values()].flatMap(({ value }) =>
    value.documentId === documentId ? [value] : [],
  );
  if (blocks.some(({ kind }) => kind === "file")) return false;
  const blockIds = new Set<string>(blocks.map(({ id }) => id));
  for (const { id } of blocks) {
    for (const { value } of tables.changesByBlock.get(id) ?? []) {
      if (value.requestId !== undefined) draft.delete(tables.versionsByRequest, requestKey(id, value.requestId));
    }
    draft.delete(tables.changesByBlock, id);
    draft.delete(tables.snapshotsByBlock, id);
    draft.delete(tables.logStartsByBlock, id);
    draft.delete(tables.trimmedTurnsByBlock, id);
    draft.delete(tables.wordsByBlock, id);
    draft.delete(tables.headersById, id);
  }
  for (const { title, rootId: of } of tables.bookmarksByTitle.values()) {
    if (of === rootId) draft.delete(tables.bookmarksByTitle, title);
  }
  const runIds = new Set(runs.map(({ id }) => id));
  for (const [id, { value }] of tables.effectsById) {
    if (runIds.has(value.runId)) draft.delete(tables.effectsById, id);
  }
  for (const [id, { runId }] of tables.waitingById) {
    if (runIds.has(runId)) draft.delete(tables.waitingById, id);
  }
  for (const id of runIds) {
    draft.delete(tables.eventsByRun, id);
    draft.delete(tables.runsById, id);
  }
  draft.delete(tables.feedsByRoot, rootId);
  for (const placed of tables.nodesById.values()) {
    if (placed.value.rootId !== rootId) continue;
    draft.change(
      () => tables.forest.remove(placed),
      () => tables.forest.add(placed),
    );
    draft.delete(tables.nodesById, placed.value.id);
  }
  for (const [id, { rootId: of }] of tables.deletedNodes) {
    if (of === rootId) draft.delete(tables.deletedNodes, id);
  }
  for (const [key, { rootId: of }] of tables.requestsByKey) {
    if (of === rootId) draft.delete(tables.requestsByKey, key);
  }
  for (const [id, { rootId: of }] of tables.approvalRulesById) {
    if (of === rootId) draft.delete(tables.approvalRulesById, id);
  }
  for (const [id, { object }] of tables.trashById) {
    const isOwn = conversationOf(object) === rootId || blockIds.has(trashedId(object));
    if (isOwn) draft.delete(tables.trashById, id);
  }
  for (const [id, [node]] of tables.trashedNodes) if (node?.rootId === rootId) draft.delete(tables.trashedNodes, id);
  draft.delete(tables.trashedRoots, rootId);
  draft.delete(tables.rootsById, rootId);
  draft.set(tables.deletedRoots, rootId, at);
  return true;
}
