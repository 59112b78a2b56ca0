import * as v from "valibot";
import { blockId, count } from "../base/parts.ts";

export const watchBlockMessage = v.object({ type: v.literal("watch-block"), blockId, afterVersion: count });

export const unwatchBlockMessage = v.object({ type: v.literal("unwatch-block"), blockId });
