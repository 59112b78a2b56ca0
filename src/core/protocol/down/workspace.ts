import * as v from "valibot";
import type { BlockId } from "../../base/ids.ts";
import { actor, root, serverId } from "./shapes.ts";

export const workspaceMessage = v.object({
  type: v.literal("workspace"),
  roots: v.array(root),
  canvases: v.array(v.object({ id: serverId<BlockId>(), title: v.string() })),
  people: v.array(v.object({ clientId: v.string(), actor })),
});
