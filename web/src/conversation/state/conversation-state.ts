import type { ConversationView, LiveBlock } from "../../../../src/client/base/types.ts";
import type { RunId } from "../../../../src/core/base/ids.ts";
import type { Bookmark, ForestNode, ForestRoot } from "../../../../src/core/forest/types.ts";
import { type Branches, firstVisit, pathTo, type Selection } from "../../view/branches/path.ts";
import { runAt, shownSelection } from "../../view/run/followed-run.ts";
import { type RunHead, runHeads } from "../../view/run/run-head.ts";
import type { Seen } from "../kept/kept-view.ts";

/** A conversation as this page shows it. Every field keeps its identity until its content changes. */
export interface ConversationState {
  /** The conversation's root; null until the first snapshot. */
  readonly root: ForestRoot | null;
  /** null until the first snapshot. */
  readonly tree: Branches | null;
  readonly bookmarks: readonly Bookmark[];
  readonly notices: ConversationView["notices"];
  readonly runs: readonly RunHead[];
  readonly selection: Selection;
  readonly path: readonly ForestNode[];
  /** The run at the end of the path, active or idle. */
  readonly run: RunHead | null;
  /** The blocks that the run is writing: the only field that changes with each streamed token. */
  readonly liveBlocks: readonly LiveBlock[];
  /** Words being sent, shown at the end meanwhile. */
  readonly sending: string | null;
  /** Whether the last message was refused because the agent works; cleared by typing. */
  readonly busy: boolean;
  readonly seen: Seen;
}

/** The inputs of a state. */
export interface ConversationInputs {
  readonly view: ConversationView | null;
  readonly chosen: Selection;
  /** The run that this page started or chose to show. */
  readonly followedId: RunId | null;
  readonly sending: string | null;
  readonly busy: boolean;
  readonly seen: Seen;
}

const noPath: readonly ForestNode[] = [];
const noBlocks: readonly LiveBlock[] = [];

export const emptyState: ConversationState = {
  root: null,
  tree: null,
  bookmarks: [],
  notices: [],
  runs: [],
  selection: firstVisit,
  path: noPath,
  run: null,
  liveBlocks: noBlocks,
  sending: null,
  busy: false,
  seen: { since: 0, atByNode: {} },
};

/** Derives the state. Unchanged fields keep their identity from `before`, which is the result when nothing changed. */
export function conversationState(before: ConversationState, inputs: ConversationInputs): ConversationState {
  const { view, sending, busy, seen } = inputs;
  const shown = view === null ? { ...emptyState, selection: inputs.chosen } : shownPart(before, view, inputs);
  const after: ConversationState = { ...shown, sending, busy, seen };
  const names = Object.keys(after) as (keyof ConversationState)[];
  return names.every((name) => Object.is(before[name], after[name])) ? before : after;
}

function shownPart(
  before: ConversationState,
  view: ConversationView,
  { chosen, followedId }: ConversationInputs,
): ConversationState {
  const { nodesById, childrenByParent, part } = view;
  const known = before.tree;
  const sameTree =
    known !== null &&
    known.nodesById === nodesById &&
    known.childrenByParent === childrenByParent &&
    known.part === part;
  const tree = sameTree ? known : { nodesById, childrenByParent, part };
  const runs = runHeads(view.runs, before.runs);
  const { selection, run } = settled({ tree, runs, chosen, followedId });
  const path = sameTree && selection.tipId === before.selection.tipId ? before.path : pathTo(tree, selection.tipId);
  const liveBlocks = view.runs.find(({ runId }) => runId === run?.runId)?.liveBlocks ?? noBlocks;
  const { root, bookmarks, notices } = view;
  return { ...emptyState, root, tree, bookmarks, notices, runs, selection, path, run, liveBlocks };
}

/** Maximum number of steps between run and selection. */
const stepsMax = 4;

/** Resolves the mutual dependency: the run decides where the path ends, and the end decides the run. */
function settled(at: {
  readonly tree: Branches;
  readonly runs: readonly RunHead[];
  readonly chosen: Selection;
  readonly followedId: RunId | null;
}): { readonly selection: Selection; readonly run: RunHead | null } {
  const { tree, runs, followedId } = at;
  let selection = at.chosen;
  let run = runAt(tree, runs, { followedId, tipId: selection.tipId });
  for (let step = 0; step < stepsMax; step += 1) {
    const next = shownSelection(tree, selection, { run, followedId });
    if (next === selection) break;
    selection = next;
    run = runAt(tree, runs, { followedId, tipId: selection.tipId });
  }
  return { selection, run };
}
