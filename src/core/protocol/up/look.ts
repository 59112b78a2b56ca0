import * as v from "valibot";

/** Whether a person sees the page: it lies in front. While one of theirs is seen, no push is sent to them. */
export const lookMessage = v.object({ type: v.literal("look"), seen: v.boolean() });
