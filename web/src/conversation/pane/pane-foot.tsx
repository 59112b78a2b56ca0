import { memo } from "react";
import type { WorkspaceView } from "../../../../src/client/base/types.ts";
import type { NodeId } from "../../../../src/core/base/ids.ts";
import { useSelected } from "../../ui/use-selected.ts";
import { isUnanswered } from "../../view/branches/questions.ts";
import type { RunHead } from "../../view/run/run-head.ts";
import { isActive } from "../../view/run/shown-state.ts";
import { Composer, type ComposerWork } from "../composer/composer.tsx";
import type { WorksOn } from "../composer/works-on-chip.tsx";
import type { Conversation } from "../state/conversation.ts";
import type { Presets } from "../ask/presets.ts";
import { Beside } from "./beside.tsx";
import { AnswerOffer, ErrorCard, TurnCards, WaitingMessages } from "./lazy-pane-parts.tsx";

const noIds: readonly NodeId[] = [];

/** The foot of the pane: other active branches, cards that wait for the person, errors and the composer. */
export const PaneFoot = memo(function PaneFoot(
  props: {
    readonly conversation: Conversation;
    readonly modelId: string;
    readonly models: WorkspaceView["models"];
    readonly presets: Presets;
    readonly onKeys: () => void;
  } & WorksOn,
) {
  const { conversation, modelId, models } = props;
  const { run, runs, tree, last } = useSelected(conversation.state, ({ run, runs, tree, path }) => ({
    run,
    runs,
    tree,
    last: path.at(-1),
  }));
  const active = run !== null && isActive(run);
  const below = last === undefined ? noIds : (tree?.childrenByParent.get(last.id) ?? noIds);
  return (
    <div className="pane-foot">
      <Beside run={run} runs={runs} onShow={conversation.showRun} />
      <Elsewhere run={run} runs={runs} onShow={conversation.showRun} />
      {below.length > 1 && !active && <Below ids={below} onShow={conversation.show} />}
      {run !== null && conversation.rootId !== null && (
        <TurnCards rootId={conversation.rootId} run={run} onShow={conversation.show} />
      )}
      {run !== null && (
        <ErrorCard
          run={run}
          modelId={modelId}
          models={models}
          onRetry={conversation.retry}
          onModel={conversation.setModel}
          onKeys={props.onKeys}
        />
      )}
      {run !== null && <WaitingMessages run={run} actions={conversation.waiting} />}
      {run !== null && <AnswerOffer conversation={conversation} run={run} />}
      <Composer
        conversation={conversation}
        unanswered={last !== undefined && isUnanswered(last) && below.length === 0}
        work={workOf(run)}
        modelId={modelId}
        models={models}
        presets={props.presets}
        worksOn={props.worksOn}
        canvasId={props.canvasId}
        canvasTitle={props.canvasTitle}
        onWorkOn={props.onWorkOn}
      />
    </div>
  );
});

function workOf(run: RunHead | null): ComposerWork {
  if (run === null) return "none";
  const { type } = run.state;
  if (type === "cancelling" || type === "cancelling-sub-agents") return "cancelling";
  return isActive(run) ? "running" : "none";
}

/** Another active branch, if any. */
function Elsewhere(props: {
  readonly run: RunHead | null;
  readonly runs: readonly RunHead[];
  readonly onShow: (run: RunHead) => void;
}) {
  const { run } = props;
  const elsewhere = props.runs.find(
    (other) => isActive(other) && other.runId !== run?.runId && other.headNodeId !== null,
  );
  if (elsewhere === undefined || elsewhere.headNodeId === run?.headNodeId) return null;
  return (
    <p className="pill">
      <span className="state-dot" aria-hidden="true" />
      An agent is writing in another branch of this conversation
      <button type="button" className="quiet-button" onClick={() => props.onShow(elsewhere)}>
        Show it
      </button>
    </p>
  );
}

/** A choice between several new messages below the last one shown. */
function Below(props: { readonly ids: readonly NodeId[]; readonly onShow: (nodeId: NodeId) => void }) {
  const { ids } = props;
  return (
    <p className="pill">
      {ids.length} new messages follow this one
      {ids.map((id, index) => (
        <button
          key={id}
          type="button"
          className="quiet-button"
          aria-label={`Show message ${index + 1} of ${ids.length}`}
          onClick={() => props.onShow(id)}
        >
          {index + 1}
        </button>
      ))}
    </p>
  );
}
