import type { PersonActor } from "../../core/base/actor.ts";
import { refusal, type Refusal } from "../../core/base/errors.ts";
import type { BlockId } from "../../core/base/ids.ts";
import { err, ok, type Result } from "../../core/base/result.ts";
import { readComments } from "../../core/block/comment/read-comments.ts";
import { openParts } from "../../core/block/suggestion/file-part.ts";
import { isOpen } from "../../core/block/suggestion/suggestion.ts";
import type { canvasCommands } from "../../core/protocol/command/canvas.ts";
import type { CommandAnswer } from "../../core/protocol/commands.ts";
import { documentKey, folderPathKey } from "../../core/rights/object-key.ts";
import { arrangeCanvas, duplicateCanvas, moveDocumentFolder } from "../canvas/arrange-canvas.ts";
import { bringRevision, canvasHashes, compareRevisions, restoreRevision, textAt } from "../canvas/canvas-revisions.ts";
import { nameVersion, namedRevisions } from "../canvas/name-version.ts";
import { defaultPolicy, setDefaultPolicy } from "../canvas/default-policy.ts";
import { openThreadsMax } from "../document/comment/comments.ts";
import type { Remember } from "../base/once.ts";
import type { Workspace } from "../workspace/workspace.ts";
import { nothing, type Performs } from "./base/call.ts";
import { carryRoles } from "./base/folder-roles.ts";
import { whyNotProposed } from "./base/why-not-proposed.ts";

export const performCanvas: Performs<keyof typeof canvasCommands> = {
  async "canvas.create"({ workspace, author, remember }, { readsComments = false, ...params }) {
    const read = readsComments && params.text !== undefined ? readComments(params.text, timeOf) : null;
    if (read !== null && read.threads.filter(({ state }) => state === "open").length > openThreadsMax)
      return err(refusal("COMMENTS_FULL", { max: openThreadsMax }));
    const created = await workspace.createCanvas(author(), { ...params, ...(read && { text: read.text }) }, remember);
    if (!created.ok) return created;
    if (read !== null && read.threads.length > 0) {
      const brought = await workspace.hub.comments.bring(created.value, read.threads);
      if (!brought.ok) return brought;
    }
    return ok({ canvasId: created.value });
  },
  "canvas.duplicate": ({ workspace, author, remember }, params) =>
    duplicateCanvas(workspace, author(), params, (canvasId) => remember({ canvasId }, null)),
  "canvas.arrange": ({ workspace, author, remember, noted }, { canvasId, ...wish }) => {
    const moved = wish.folderPath === undefined ? [] : noted({ act: "document.moved", object: documentKey(canvasId) });
    return arrangeCanvas(workspace, author(), canvasId, { ...wish, also: () => [...remember({}, null), ...moved] });
  },
  async "canvas.move-folder"(call, params) {
    const { workspace, author, may, remember, noted } = call;
    const carried = await carryRoles(call, params);
    if (!carried.ok) return carried;
    return moveDocumentFolder(workspace, author, params, {
      mayMove: (id) => may(["document.delete", { type: "block", id }]),
      eachMoved: (id) => noted({ act: "document.moved", object: documentKey(id) }),
      remember: (answer) => [
        ...remember(answer, null),
        ...noted({ act: "folder.moved", object: folderPathKey(params.to) }),
      ],
    });
  },
  "canvas.set-policy": async ({ workspace, author, remember }, { canvasId, policy }) =>
    nothing(await workspace.hub.editor.setPolicy(author(), canvasId, policy, { also: () => remember({}, null) })),
  "canvas.default-policy": async ({ workspace }) => ok({ policy: await defaultPolicy(workspace.store) }),
  "canvas.set-default-policy": ({ workspace, remember }, { policy }) =>
    setDefaultPolicy(workspace.store, policy, remember),
  "canvas.take-control": ({ workspace, actor, remember }, { canvasId }) =>
    takeControl(workspace, actor, { canvasId, remember }),
  "canvas.hashes": ({ workspace }, { canvasId }) => canvasHashes(workspace, canvasId),
  "canvas.revisions": ({ workspace }, params) => namedRevisions(workspace, params),
  "canvas.name-version": ({ workspace, author, remember }, params) =>
    nameVersion(workspace, author(), params, (answer) => remember(answer, null)),
  "canvas.compare": ({ workspace }, params) => compareRevisions(workspace, params),
  "canvas.restore": ({ workspace, author, remember }, params) => restoreRevision(workspace, author(), params, remember),
  "canvas.text": ({ workspace }, { canvasId, revisionId }) => textAt(workspace, canvasId, revisionId),
  "canvas.bring": ({ workspace, author, actor, remember }, { canvasId, revisionId }) =>
    bringRevision(workspace, { ...author(), actor }, { canvasId, revisionId, remember }),
  "canvas.suggestions": ({ workspace }, { canvasId, decided = false }) =>
    workspace.hub.suggestions.list(canvasId, decided, (found) => {
      const newest = found.filter((suggestion) => !isOpen(suggestion)).slice(-decidedShownMax);
      const shown = new Set(newest);
      return { suggestions: found.filter((suggestion) => isOpen(suggestion) || shown.has(suggestion)) };
    }),
  "canvas.keep-hunks": async (call, { canvasId, hunkIds, asFarAsPossible }) => {
    const { workspace, author, remember } = call;
    const proposed = openParts(await workspace.store.suggestions(canvasId, true));
    const kept = hunkIds === undefined ? proposed : proposed.filter(({ hunkId }) => hunkIds.includes(hunkId));
    const refused = await whyNotProposed(call, kept);
    if (refused !== null) return err(refused);
    return workspace.hub.suggestions.keep(author(), canvasId, hunkIds, {
      asFarAsPossible,
      also: (reviewed) => remember(reviewed, null),
    });
  },
  "canvas.reject-hunks": ({ workspace, author, remember }, { canvasId, hunkIds, asFarAsPossible }) =>
    workspace.hub.suggestions.reject(author(), canvasId, hunkIds, {
      asFarAsPossible,
      also: (reviewed) => remember(reviewed, null),
    }),
};

function timeOf(day: string): number | null {
  const at = Date.parse(`${day}T00:00:00Z`);
  return Number.isNaN(at) ? null : at;
}

/** Number of decided suggestions in one answer, newest first. */
const decidedShownMax = 200;

/**
 * Takes control of a canvas. The epoch rises first, so nothing more of the run is written, however long its end takes.
 */
async function takeControl(
  { leases, conversations }: Workspace,
  actor: PersonActor,
  wish: { readonly canvasId: BlockId; readonly remember: Remember<CommandAnswer<"canvas.take-control">> },
): Promise<Result<CommandAnswer<"canvas.take-control">, Refusal>> {
  const taken = await leases.takeControl(wish.canvasId);
  if (!taken.ok) return taken;
  const { epoch, runId } = taken.value;
  if (runId === null) return ok({ epoch, cancelledRunId: null });
  const cancel = { runId, reason: "control-taken" } as const;
  const cancelled = await conversations.runs.cancel(actor, cancel, (_done, rootId) =>
    wish.remember({ epoch, cancelledRunId: runId }, rootId),
  );
  return ok({ epoch, cancelledRunId: cancelled.ok ? runId : null });
}
