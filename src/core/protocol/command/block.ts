import * as v from "valibot";
import { blockId } from "../parts.ts";

export const blockCommands = {
  "block.undo-mine": v.object({ blockId }),
  "block.redo-mine": v.object({ blockId }),
  "block.turns": v.object({ blockId }),
};
