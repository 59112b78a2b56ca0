import { must } from "../../src/core/base/assert.ts";
import type { BlockId, RootId } from "../../src/core/base/ids.ts";
import type { ForestRoot } from "../../src/core/forest/types.ts";
import type { Api } from "../e2e/api.ts";

/** The conversation and the canvas of a new workspace. */
export async function welcomeIds(api: Api): Promise<{ readonly rootId: RootId; readonly canvasId: BlockId }> {
  const { conversations } = await api.get<{ conversations: readonly ForestRoot[] }>("/api/conversations");
  const root = must(conversations[0], "a new workspace has a conversation");
  return { rootId: root.id, canvasId: must(root.canvasId, "with a canvas") };
}
