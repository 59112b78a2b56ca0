import * as v from "valibot";

export const watchWorkspaceMessage = v.object({ type: v.literal("watch-workspace") });
