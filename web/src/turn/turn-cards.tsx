import { unreachable } from "../../../src/core/base/assert.ts";
import type { NodeId, RootId } from "../../../src/core/base/ids.ts";
import { AgentsCard } from "./agents-card.tsx";
import { ApprovalCard, approvalKey } from "./approval-card.tsx";
import { ExhaustedCard } from "./exhausted-card.tsx";
import { LeftWordsCards } from "./left-words-card.tsx";
import { QuestionCard, questionKey } from "./question-card.tsx";
import type { RunHead } from "../view/run/run-head.ts";

interface CardProps {
  readonly rootId: RootId;
  readonly run: RunHead;
  readonly onShow: (nodeId: NodeId) => void;
}

/** The cards of a run that waits for a person, and unsent words of closed cards. */
export function TurnCards(props: CardProps) {
  const { run } = props;
  return (
    <>
      <LeftWordsCards runId={run.runId} openCard={cardOf(run)} />
      <OpenCard {...props} />
    </>
  );
}

/** Returns the key of the open card with fields; null for none. */
function cardOf({ runId, state }: RunHead): string | null {
  if (state.type === "awaiting-approval") return approvalKey(runId, state.request);
  return state.type === "awaiting-answer" ? questionKey(runId, state) : null;
}

function OpenCard({ rootId, run, onShow }: CardProps) {
  const { state } = run;
  switch (state.type) {
    case "awaiting-approval":
      return <ApprovalCard key={approvalKey(run.runId, state.request)} rootId={rootId} run={run} state={state} />;
    case "awaiting-answer":
      return <QuestionCard key={questionKey(run.runId, state)} run={run} state={state} />;
    case "awaiting-sub-agents":
    case "cancelling-sub-agents":
      return <AgentsCard state={state} />;
    case "context-exhausted":
      return <ExhaustedCard run={run} onShow={onShow} />;
    case "idle":
    case "awaiting":
    case "requesting":
    case "running-tools":
    case "cancelling":
    case "error":
    case "completed":
    case "failed":
      return null;
    default:
      return unreachable(state);
  }
}
