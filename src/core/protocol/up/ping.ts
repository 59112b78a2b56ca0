import * as v from "valibot";

export const pingMessage = v.object({ type: v.literal("ping") });
