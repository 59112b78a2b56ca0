import type { Refusal } from "../../core/base/errors.ts";
import type { BlockId } from "../../core/base/ids.ts";
import { ok, type Result } from "../../core/base/result.ts";
import { chooseHunks } from "../../core/block/suggestion/review.ts";
import type { draftCommands } from "../../core/protocol/command/draft.ts";
import type { Workspace } from "../workspace/workspace.ts";
import type { Performs } from "./call.ts";

export const performDraft: Performs<keyof typeof draftCommands> = {
  "draft.list": async ({ workspace }, { canvasId }) => {
    const found = await workspace.hub.suggestions.drafts(canvasId);
    return found.ok ? ok({ drafts: found.value.map(({ text: _text, ...draft }) => draft) }) : found;
  },
  "draft.read": ({ workspace }, { canvasId, draftId }) => workspace.hub.suggestions.draftText(canvasId, draftId),
  "draft.take": async ({ workspace, author, remember }, { canvasId, draftId = null, hunkIds, overruled = [] }) => {
    const all = await workspace.store.suggestions(canvasId, true);
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
