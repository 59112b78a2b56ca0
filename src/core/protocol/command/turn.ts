import * as v from "valibot";
import { turnId } from "../parts.ts";

export const turnCommands = {
  "turn.undo": v.object({ turnId }),
  "turn.redo": v.object({ turnId }),
};
