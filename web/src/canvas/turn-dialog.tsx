import { useEffect, useState } from "react";
import type { BlockId } from "../../../src/core/base/ids.ts";
import type { CommandAnswer } from "../../../src/core/protocol/commands.ts";
import { useApp } from "../ui/app-context.ts";
import { Dialog } from "../ui/dialog.tsx";
import { Icon } from "../ui/icons.tsx";
import { DiffView } from "../diff/diff-view.tsx";
import { countOf } from "../view/branches/hidden.ts";
import { type AgentTurn, momentLabel } from "../view/words/undo-label.ts";
import { shortName } from "../view/words/words.ts";

/** An agent turn's changes in a canvas, with a button to undo or redo them. */
export function TurnDialog(props: {
  readonly canvasId: BlockId;
  readonly turn: AgentTurn;
  /** What the person had asked; null where the message is not here. */
  readonly question: string | null;
  readonly onTurnOver: (turn: AgentTurn) => void;
  readonly onClose: () => void;
}) {
  const { client } = useApp();
  const { canvasId, turn } = props;
  const [change, setChange] = useState<CommandAnswer<"block.turn-change"> | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  useEffect(() => {
    let stale = false;
    void client.call("block.turn-change", { blockId: canvasId, turnId: turn.turnId }).then((result) => {
      if (stale) return;
      if (result.ok) setChange(result.value);
      else setProblem(result.error.message);
    });
    return () => {
      stale = true;
    };
  }, [client, canvasId, turn.turnId]);
  const name = shortName(turn.actorName);
  const { added, removed } = countOf(change?.diff ?? "");
  return (
    <Dialog
      title={`What ${name} changed · ${momentLabel(turn.at, Date.now())}`}
      className="history"
      onClose={props.onClose}
    >
      {problem !== null && (
        <p className="history-problem" role="alert">
          <Icon name="alert" size={14} /> {problem}
        </p>
      )}
      {change === null && problem === null && <p aria-busy="true">Comparing…</p>}
      {change !== null && (
        <div className="turn-change">
          {props.question !== null && <p>Asked: “{props.question}”</p>}
          <p className="quiet">
            {change.diff === ""
              ? `Nothing from this turn is left in the text.`
              : `${added} ${added === 1 ? "line" : "lines"} added, ${removed} removed${change.truncated ? "; only the first ones are shown" : ""}. Later edits by others, and suggestions that were kept, are not included and stay.`}
          </p>
          {change.diff !== "" && <DiffView diff={change.diff} />}
          <div className="button-row end">
            <button
              type="button"
              className="button primary"
              onClick={() => {
                props.onTurnOver(turn);
                props.onClose();
              }}
            >
              {change.undone ? "Redo this turn" : "Undo this turn"}
            </button>
          </div>
        </div>
      )}
    </Dialog>
  );
}
