import * as v from "valibot";
import { editPolicies } from "../../block/types.ts";
import { hunksNamedMax, messageUnitsMax, revisionsPageMax } from "../limits.ts";
import { blockId, count, emptyParams, hunkId, textUpTo, title } from "../parts.ts";

const revisionId = v.pipe(v.string(), v.regex(/^\d{1,15}-[0-9a-f]{8}$/));

const reviewed = v.object({
  canvasId: blockId,
  hunkIds: v.exactOptional(v.pipe(v.array(hunkId), v.minLength(1), v.maxLength(hunksNamedMax))),
  /** Of those that are named, what can be decided so; else all or none. */
  asFarAsPossible: v.exactOptional(v.boolean()),
});

export const canvasCommands = {
  "canvas.create": v.object({ title, text: v.exactOptional(textUpTo(messageUnitsMax)) }),
  "canvas.set-policy": v.object({ canvasId: blockId, policy: v.picklist(editPolicies) }),
  "canvas.default-policy": emptyParams,
  "canvas.set-default-policy": v.object({ policy: v.picklist(editPolicies) }),
  "canvas.take-control": v.object({ canvasId: blockId }),
  "canvas.hashes": v.object({ canvasId: blockId }),
  "canvas.revisions": v.object({
    canvasId: blockId,
    beforeVersion: v.exactOptional(count),
    limit: v.exactOptional(v.pipe(v.number(), v.integer(), v.minValue(1), v.maxValue(revisionsPageMax))),
  }),
  "canvas.compare": v.object({
    canvasId: blockId,
    from: v.nullable(revisionId),
    to: v.nullable(revisionId),
  }),
  "canvas.restore": v.object({ canvasId: blockId, revisionId }),
  "canvas.suggestions": v.object({ canvasId: blockId, decided: v.exactOptional(v.boolean()) }),
  "canvas.keep-hunks": reviewed,
  "canvas.reject-hunks": reviewed,
};
