import * as v from "valibot";
import { blockId, selection } from "../base/parts.ts";

export const presenceMessage = v.object({ type: v.literal("presence"), blockId, selection });
