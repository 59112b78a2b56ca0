import * as v from "valibot";
import { count, rootId } from "../base/parts.ts";

export const watchConversationMessage = v.object({ type: v.literal("watch-conversation"), rootId, afterSeq: count });

export const unwatchConversationMessage = v.object({ type: v.literal("unwatch-conversation"), rootId });
