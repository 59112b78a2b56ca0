import { useMemo } from "react";
import type { RunView } from "../../../src/client/base/types.ts";
import { textOf } from "../../../src/core/message/content.ts";
import type { ToolRound, TurnState } from "../../../src/core/turn/state/state.ts";
import type { SubAgent, SubAgentOutcome } from "../../../src/core/turn/state/sub-agent.ts";
import { useApp } from "../ui/app-context.ts";
import { Icon } from "../ui/icons.tsx";
import { useNow, usePacedObservable } from "../ui/use-observable.ts";
import { runHead } from "../view/run/run-head.ts";
import { countsDown, countsUp, describeState, shownState } from "../view/run/shown-state.ts";
import { excerpt } from "../view/words/words.ts";
import { ApprovalCard, approvalKey } from "./approval-card.tsx";
import { LeftWordsCards } from "./left-words-card.tsx";

type AtWork = Extract<TurnState, ToolRound & { readonly agents: readonly SubAgent[] }>;

/** The sub-agents of a run with their status. */
export function AgentsCard({ state }: { readonly state: AtWork }) {
  return (
    <section className="turn-card" data-card="agents" aria-label="Sub-agents">
      <Icon name="branch" size={18} />
      <ul className="agents">
        {state.agents.map((agent) => (
          <li key={agent.runId}>
            {agent.outcome === null ? <Working agent={agent} /> : <Ended agent={agent} outcome={agent.outcome} />}
          </li>
        ))}
      </ul>
    </section>
  );
}

function Ended({ agent, outcome }: { readonly agent: SubAgent; readonly outcome: SubAgentOutcome }) {
  const good = outcome.type === "completed" && outcome.success;
  const words = outcome.type === "completed" ? outcome.result : outcome.message;
  return (
    <details className="agent" data-ended={good ? "good" : "bad"}>
      <summary>
        <span className="agent-task">{excerpt(agent.task, 90)}</span>
        <span className="agent-state">{good ? "Done" : outcome.type === "completed" ? "Gave up" : "Failed"}</span>
      </summary>
      <pre tabIndex={0} role="region" aria-label={`What came of: ${excerpt(agent.task, 40)}`}>
        {words}
      </pre>
    </details>
  );
}

/** Interval of rendering an agent's activity. Milliseconds. */
const drawEveryMs = 200;

function Working({ agent }: { readonly agent: SubAgent }) {
  const { client, tell } = useApp();
  const observable = useMemo(() => client.conversation(agent.rootId), [client, agent.rootId]);
  const view = usePacedObservable(observable, drawEveryMs);
  const run = view?.runs.find(({ runId }) => runId === agent.runId) ?? null;
  const first = run === null ? null : shownState(situation(run, Date.now()));
  const now = useNow(first !== null && (countsUp(first) || countsDown(first)) ? 1_000 : null);
  const words = run === null ? "Beginning" : describeState(shownState(situation(run, now)), now).label;
  const last = run?.liveBlocks.at(-1)?.text ?? "";
  const stop = (): void => {
    void client.call("run.cancel", { runId: agent.runId }).then((result) => {
      if (!result.ok) tell(result.error);
    });
  };
  return (
    <div className="agent">
      <p>
        <span className="agent-task" title={agent.task}>
          {excerpt(agent.task, 90)}
        </span>
        <span className="agent-state">{words}</span>
        <button type="button" className="quiet-button" onClick={stop} disabled={run === null}>
          Stop
        </button>
      </p>
      {last !== "" && <p className="agent-words quiet">{excerpt(last.trim().split("\n").at(-1) ?? "", 120)}</p>}
      {view !== null && (
        <details>
          <summary>What it did so far ({view.nodesById.size})</summary>
          <ol className="agent-log">
            {[...view.nodesById.values()].map(({ id, message }) => (
              <li key={id}>
                <b>{message.role === "tool" ? message.tool_name : message.role}</b> {excerpt(textOf(message), 200)}
              </li>
            ))}
          </ol>
        </details>
      )}
      {run !== null && (
        <LeftWordsCards
          runId={run.runId}
          openCard={run.state.type === "awaiting-approval" ? approvalKey(run.runId, run.state.request) : null}
        />
      )}
      {run?.state.type === "awaiting-approval" && (
        <ApprovalCard
          key={approvalKey(run.runId, run.state.request)}
          rootId={agent.rootId}
          run={runHead(run)}
          state={run.state}
        />
      )}
    </div>
  );
}

function situation(run: RunView, now: number): Parameters<typeof shownState>[0] {
  return {
    connection: { type: "live", since: 0, reconnected: false },
    now,
    run: runHead(run),
    sending: false,
    busy: false,
    interrupted: false,
    charactersPerSecond: null,
  };
}
