import type { ActorId, NodeId, RootId, RunId, TurnId } from "../../core/base/ids.ts";
import type { ForestNode, ForestRoot } from "../../core/forest/types.ts";
import type { TurnState } from "../../core/turn/state/state.ts";
import type { RunView } from "../base/types.ts";

export const rootId = "root_1" as RootId;

export const root: ForestRoot = {
  id: rootId,
  slug: "talk",
  title: "Talk",
  systemPrompt: "",
  model: "scripted/scribe",
  canvasId: null,
  cwd: "",
  archived: false,
  createdAt: 0,
  updatedAt: 0,
};

/** A person's message `message 1`, `node_1`; below another, or at the top (null). */
export function node(number: number, parent: number | null): ForestNode {
  return {
    id: `node_${number}` as NodeId,
    rootId,
    parentId: parent === null ? null : (`node_${parent}` as NodeId),
    prefixHash: String(number),
    message: { role: "user", content: [{ type: "text", text: `message ${number}` }] },
    actor: { type: "person", id: "person_1" as ActorId, name: "Ada" },
    runId: null,
    turnId: null,
    usage: null,
    createdAt: number,
  };
}

const none: RunView["waiting"] = [];

/** A run in a state: `run_1`, with nothing shown yet. */
export function runIn(state: TurnState, change: Partial<RunView> = {}): RunView {
  return {
    runId: "run_1" as RunId,
    headNodeId: null,
    turnId: "turn_1" as TurnId,
    state,
    since: 0,
    contextUsed: null,
    model: "scripted/scribe",
    queued: false,
    waiting: none,
    liveBlocks: [],
    ...change,
  };
}
