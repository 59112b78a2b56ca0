import * as v from "valibot";
import { list } from "../base/list.ts";

export const watchListMessage = v.object({ type: v.literal("watch-list"), list });

export const unwatchListMessage = v.object({ type: v.literal("unwatch-list"), list });
