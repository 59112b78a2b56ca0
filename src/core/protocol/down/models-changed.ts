import * as v from "valibot";

export const modelsChangedMessage = v.object({ type: v.literal("models-changed") });
