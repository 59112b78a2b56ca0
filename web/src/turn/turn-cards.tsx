import type { RunView } from "../../../src/client/types.ts";
import { unreachable } from "../../../src/core/base/assert.ts";
import type { NodeId } from "../../../src/core/base/ids.ts";
import { AgentsCard } from "./agents-card.tsx";
import { ApprovalCard, approvalKey } from "./approval-card.tsx";
import { ExhaustedCard } from "./exhausted-card.tsx";
import { QuestionCard } from "./question-card.tsx";

/** What a run waits for that a person can see, answer or end. */
export function TurnCards({ run, onShow }: { readonly run: RunView; readonly onShow: (nodeId: NodeId) => void }) {
  const { state } = run;
  switch (state.type) {
    case "awaiting-approval":
      return <ApprovalCard key={approvalKey(run.runId, state.request)} run={run} state={state} />;
    case "awaiting-answer":
      return <QuestionCard key={state.callId} run={run} state={state} />;
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
