import * as v from "valibot";
import type { AgentId } from "../../text/types.ts";
import { originsMax } from "../limits.ts";
import { blockId, count } from "../parts.ts";

/** Named by its type: in the declarations no brand has a name. */
const agentId: v.GenericSchema<unknown, AgentId> = v.pipe(
  v.number(),
  v.safeInteger(),
  v.minValue(1),
  v.transform((number) => number as AgentId),
);

export const blockCommands = {
  "block.undo-mine": v.object({ blockId }),
  "block.redo-mine": v.object({ blockId }),
  "block.turns": v.object({ blockId }),
  "block.origins": v.object({
    blockId,
    ops: v.pipe(v.array(v.object({ agent: agentId, seq: count })), v.maxLength(originsMax)),
  }),
};
