import type { NodeId } from "../../../core/base/ids.ts";
import { isSettled } from "../../../core/turn/step/precheck.ts";
import type { ConversationView, RunView } from "../../../client/base/types.ts";

/** Returns where a conversation was left: its running run, else the one that ran last; and its last message. */
export function whereLeft(view: ConversationView): { readonly run: RunView | null; readonly head: NodeId | null } {
  const working = view.runs.find(({ state }) => !isSettled(state));
  const run = working ?? view.runs.toSorted((a, b) => b.since - a.since)[0] ?? null;
  const last = [...view.nodesById.values()].at(-1);
  return { run, head: run?.headNodeId ?? last?.id ?? null };
}
