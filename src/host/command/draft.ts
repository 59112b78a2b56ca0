import type { Refusal } from "../../core/base/errors.ts";
import type { BlockId } from "../../core/base/ids.ts";
import { ok, type Result } from "../../core/base/result.ts";
import { chooseHunks } from "../../core/block/suggestion/review.ts";
import type { draftCommands } from "../../core/protocol/command/draft.ts";
import { takePen, writerOf } from "../lease/draft-pen.ts";
import type { Workspace } from "../workspace/workspace.ts";
import type { Performs } from "./call.ts";

export const performDraft: Performs<keyof typeof draftCommands> = {
  "draft.list": async ({ workspace, actor }, { canvasId }) => {
    const found = await workspace.hub.suggestions.drafts(canvasId);
    if (!found.ok) return found;
    const drafts = found.value.map(({ text: _text, ...draft }) => {
      const { draftId } = draft;
      return { ...draft, writer: writerOf(workspace.leases, { canvasId, draftId, actor }) };
    });
    return ok({ drafts });
  },
  "draft.read": async ({ workspace, actor }, { canvasId, draftId }) => {
    const read = await workspace.hub.suggestions.draftText(canvasId, draftId);
    if (!read.ok) return read;
    const { authors: _authors, ...found } = read.value;
    return ok({ ...found, writer: writerOf(workspace.leases, { canvasId, draftId, actor }) });
  },
  "draft.write": async ({ workspace, actor, author, remember }, { takesOver = false, ...wish }) => {
    const { canvasId, draftId, baseHash } = wish;
    const { leases, hub } = workspace;
    const read = await hub.suggestions.draftText(canvasId, draftId);
    if (!read.ok) return read;
    const revisionId = `${read.value.version}-${baseHash.slice(0, 8)}`;
    const pen = await takePen(leases, { canvasId, draftId, actor, revisionId, takesOver });
    if (!pen.ok) return pen;
    return hub.suggestions.writeDraft({ ...author(), actor }, wish, {
      guards: [leases.guard(pen.value)],
      also: (written) => remember(written, null),
    });
  },
  "draft.take": async ({ workspace, author, remember }, { canvasId, draftId = null, hunkIds, overruled = [] }) => {
    const stored = await workspace.store.suggestions(canvasId, true);
    const all = stored.filter(({ inTrash }) => inTrash !== true);
    const inDraft = draftId === null ? all : all.filter((one) => one.draftId === draftId);
    const chosen = chooseHunks(inDraft, hunkIds);
    // A take that takes nothing leaves an agent its lease.
    if (!chosen.ok) return chosen;
    const freed = await endLease(workspace, canvasId);
    if (!freed.ok) return freed;
    return workspace.hub.suggestions.keep(author(), canvasId, hunkIds, {
      draftId,
      overruled,
      also: (taken) => remember(taken, null),
    });
  },
  "draft.drop": ({ workspace, author, remember }, { canvasId, draftId }) =>
    workspace.hub.suggestions.reject(author(), canvasId, undefined, {
      draftId,
      also: (dropped) => remember(dropped, null),
    }),
};

/** A take never waits for an agent: under the policy Lease it ends the lease on the shared text. */
async function endLease({ leases, store }: Workspace, canvasId: BlockId): Promise<Result<unknown, Refusal>> {
  const header = await store.block(canvasId);
  return header?.policy === "lease" && leases.isHeld(canvasId) ? leases.takeControl(canvasId) : ok(null);
}
