import * as v from "valibot";
import type { AgentId } from "../../text/types.ts";
import type { CommandParams } from "../commands.ts";
import { originsMax } from "../limits.ts";
import { blockId, count, turnId } from "../parts.ts";

const agentId = v.pipe(
  v.number(),
  v.safeInteger(),
  v.minValue(1),
  v.transform((number) => number as AgentId),
);

/** Named by its type: in the declarations no brand of a number has a name. */
const origins: v.GenericSchema<unknown, CommandParams<"block.origins">> = v.object({
  blockId,
  ops: v.pipe(v.array(v.object({ agent: agentId, seq: count })), v.maxLength(originsMax)),
});

export const blockCommands = {
  "block.undo-mine": v.object({ blockId }),
  "block.redo-mine": v.object({ blockId }),
  "block.turns": v.object({ blockId }),
  "block.turn-change": v.object({ blockId, turnId }),
  "block.origins": origins,
};
