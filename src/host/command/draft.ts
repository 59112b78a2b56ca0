import { must } from "../../core/base/assert.ts";
import { refusal, type Refusal } from "../../core/base/errors.ts";
import type { BlockId, DraftId, HunkId } from "../../core/base/ids.ts";
import { err, ok, type Result } from "../../core/base/result.ts";
import type { FilePart } from "../../core/block/suggestion/file-part.ts";
import { chooseHunks } from "../../core/block/suggestion/review.ts";
import { openHunks } from "../../core/block/suggestion/suggestion.ts";
import type { ReviewedHunks } from "../../core/protocol/commands.ts";
import type { draftCommands } from "../../core/protocol/command/draft.ts";
import { documentsOf } from "../document/review/draft-documents.ts";
import type { TakenDocument, TakeWish } from "../document/review/take-together.ts";
import { whyFilesChanged } from "../files/drafted-files.ts";
import { takePen, writerOf } from "../lease/draft-pen.ts";
import type { Workspace } from "../workspace/workspace.ts";
import type { Performs } from "./base/call.ts";
import { whyNotProposed } from "./base/why-not-proposed.ts";

export const performDraft: Performs<keyof typeof draftCommands> = {
  "draft.documents": async ({ workspace, may }, { draftId }) => {
    const documents = await documentsOf(workspace, draftId);
    const seen = await Promise.all(
      documents.map(({ canvasId }) => may(["document.read", { type: "block", id: canvasId }])),
    );
    return ok({ documents: documents.filter((_, index) => seen[index] === true) });
  },
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
  "draft.take": async (call, { canvasId, draftId = null, hunkIds, alsoIn = [], overruled = [] }) => {
    const { workspace, author, may, remember } = call;
    for (const id of alsoIn) {
      if (!(await may(["document.edit", { type: "block", id }]))) return err(refusal("FORBIDDEN", { block_id: id }));
    }
    const chosen = await chosenIn(workspace.store, [...new Set([canvasId, ...alsoIn])], { draftId, hunkIds });
    // A take that takes nothing leaves an agent its lease.
    if (!chosen.ok) return chosen;
    const parts = chosen.value.flatMap((each) => each.parts);
    const refused = await whyNotProposed(call, parts);
    if (refused !== null) return err(refused);
    const changed = await whyFilesChanged(workspace, parts, overruled);
    if (changed !== null) return err(changed);
    for (const { wish } of chosen.value) {
      const freed = await endLease(workspace, wish.canvasId);
      if (!freed.ok) return freed;
    }
    const wishes = chosen.value.map(({ wish }) => wish);
    const answerOf = (taken: readonly TakenDocument[]) => answerFor(canvasId, taken, alsoIn.length > 0);
    const also = (taken: readonly TakenDocument[]) => remember(answerOf(taken), null);
    const taken = await workspace.hub.suggestions.takeTogether(author(), wishes, { draftId, overruled, also });
    return taken.ok ? ok(answerOf(taken.value)) : taken;
  },
  "draft.drop": ({ workspace, author, remember }, { canvasId, draftId }) =>
    workspace.hub.suggestions.reject(author(), canvasId, undefined, {
      draftId,
      also: (dropped) => remember(dropped, null),
    }),
};

interface ChosenParts {
  readonly wish: TakeWish;
  readonly parts: readonly FilePart[];
}

/** Returns what a take is about in each document; documents without any of the named hunks are left out. */
async function chosenIn(
  store: Workspace["store"],
  canvasIds: readonly BlockId[],
  { draftId, hunkIds }: { readonly draftId: DraftId | null; readonly hunkIds: readonly HunkId[] | undefined },
): Promise<Result<readonly ChosenParts[], Refusal>> {
  const stored = await Promise.all(
    canvasIds.map(async (id) => (await store.suggestions(id, true)).filter(({ inTrash }) => inTrash !== true)),
  );
  const all = stored.map((own) => (draftId === null ? own : own.filter((one) => one.draftId === draftId)));
  const chosen = chooseHunks(all.flat(), hunkIds);
  if (!chosen.ok) return chosen;
  const isChosen = new Set(chosen.value.map(({ id }) => id));
  return ok(
    canvasIds.flatMap((canvasId, index) => {
      const own = openHunks(all[index] ?? []).filter(({ id }) => isChosen.has(id));
      if (own.length === 0) return [];
      const parts = own.flatMap(({ id: hunkId, proposes }) =>
        proposes === undefined ? [] : [{ blockId: canvasId, hunkId, proposes }],
      );
      const wish = hunkIds === undefined ? { canvasId } : { canvasId, hunkIds: own.map(({ id }) => id) };
      return [{ wish, parts }];
    }),
  );
}

function answerFor(canvasId: BlockId, taken: readonly TakenDocument[], isOfSeveral: boolean) {
  const own = taken.find((one) => one.canvasId === canvasId) ?? must(taken[0], "a take takes something");
  const { canvasId: _, ...answer } = own;
  const others = taken.filter((one) => one !== own);
  return isOfSeveral
    ? { ...mutable(answer), others: others.map((one) => ({ ...mutable(one), canvasId: one.canvasId })) }
    : mutable(answer);
}

function mutable({ version, revisionId, hunkIds, conflicts }: ReviewedHunks) {
  return { version, revisionId, hunkIds: [...hunkIds], conflicts: [...conflicts] };
}

/** A take never waits for an agent: under the policy Lease it ends the lease on the shared text. */
async function endLease({ leases, store }: Workspace, canvasId: BlockId): Promise<Result<unknown, Refusal>> {
  const header = await store.block(canvasId);
  return header?.policy === "lease" && leases.isHeld(canvasId) ? leases.takeControl(canvasId) : ok(null);
}
