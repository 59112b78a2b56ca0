import type { HistoryEntry } from "../../core/block/history.ts";
import type { BlockToolRun } from "./runnable.ts";

/** Returns an edit without the call of an agent whose conversation the caller may not know of. */
export async function seenEntry(
  entry: HistoryEntry,
  { reach, ports: { store } }: Pick<BlockToolRun, "reach" | "ports">,
): Promise<HistoryEntry> {
  const { actor } = entry;
  // What an outside program wrote is of no conversation.
  if (!reach || actor.type !== "model" || actor.outside !== undefined) return entry;
  const run = await store.run(actor.runId);
  const root = run === null ? null : await store.root(run.rootId);
  return root !== null && reach.conversation(root) ? entry : { ...entry, toolCallId: undefined };
}
