import * as v from "valibot";
import { editPolicies } from "../../block/types.ts";
import { messageUnitsMax } from "../limits.ts";
import { blockId, textUpTo, title } from "../parts.ts";

export const canvasCommands = {
  "canvas.create": v.object({ title, text: v.exactOptional(textUpTo(messageUnitsMax)) }),
  "canvas.set-policy": v.object({ canvasId: blockId, policy: v.picklist(editPolicies) }),
  "canvas.take-control": v.object({ canvasId: blockId }),
};
