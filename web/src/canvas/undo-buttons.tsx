import { useCallback, useRef, useState } from "react";
import type { TextReplica } from "../../../src/client/base/types.ts";
import type { NodeId, TurnId } from "../../../src/core/base/ids.ts";
import type { ForestNode } from "../../../src/core/forest/types.ts";
import { unchangedWords } from "../../../src/core/base/unchanged-words.ts";
import { useApp } from "../ui/app-context.ts";
import { Icon } from "../ui/icons.tsx";
import { Menu } from "../ui/menu/menu.tsx";
import { useAtRest } from "../editor/use-at-rest.ts";
import { questionOfTurn } from "../draft/turn-question.ts";
import { type AgentTurn, momentLabel, nextTurnUndo, noTurnWords, turnUndoHint } from "../view/words/undo-label.ts";
import { shortName } from "../view/words/words.ts";
import { TurnDialog } from "./lazy-canvas-parts.tsx";

/** Delay after the last edit before the turns are requested again. Milliseconds. */
const restMs = 250;

/** Undo by author: the reader's own last edit, or an agent's whole turn. */
export function UndoButtons(props: {
  readonly replica: TextReplica;
  /** Messages of the open conversation: a turn is named by its question. */
  readonly nodesById: ReadonlyMap<NodeId, ForestNode>;
  readonly onUndo: () => void;
  readonly onRedo: () => void;
}) {
  const { turns, refresh, change, lookAtLast } = useTurns(props.replica);
  const [looked, setLooked] = useState<AgentTurn | null>(null);
  const next = nextTurnUndo(turns);
  const words = next.type === "redo" ? "Redo agent's turn" : "Undo agent's turn";
  return (
    <div className="undo-buttons">
      <button
        type="button"
        className="quiet-button"
        aria-label="Undo mine"
        title="Undoes your last edit here, or your last decision about suggestions"
        onClick={props.onUndo}
      >
        <Icon name="undo" size={15} /> <span className="wide-only">Undo mine</span>
      </button>
      <button
        type="button"
        className="icon-button"
        aria-label="Redo mine"
        title="Redoes what you undid"
        onClick={props.onRedo}
      >
        <Icon name="redo" size={15} />
      </button>
      <span className="split-button">
        <button
          type="button"
          className="quiet-button"
          title={turnUndoHint(next)}
          disabled={next.type === "none"}
          onClick={() => {
            if (next.type !== "none") lookAtLast(setLooked);
          }}
        >
          <Icon name={next.type === "redo" ? "redo" : "undo"} size={15} /> <span>{words}</span>
        </button>
        <Menu
          label="Turns of agents"
          className="icon-button"
          align="end"
          face={<Icon name="chevron-down" size={14} />}
          emptyNote={noTurnWords}
          onOpen={refresh}
          items={turns.map((turn) => ({
            label: `What ${shortName(turn.actorName)} changed…`,
            note: `${momentLabel(turn.at, Date.now())}${turn.undone ? " · undone" : ""}`,
            run: () => setLooked(turn),
          }))}
        />
      </span>
      {looked !== null && (
        <TurnDialog
          canvasId={props.replica.blockId}
          turn={looked}
          question={questionOfTurn(props.nodesById, looked.turnId)}
          onTurnOver={({ turnId, undone }) => change(turnId, undone)}
          onClose={() => setLooked(null)}
        />
      )}
    </div>
  );
}

/** The agent turns in a canvas, and their undo. */
function useTurns(replica: TextReplica) {
  const { client, tell, announce } = useApp();
  const { blockId } = replica;
  const [turns, setTurns] = useState<readonly AgentTurn[]>([]);
  const asks = useRef(0);
  const refresh = useCallback(() => {
    asks.current += 1;
    const ask = asks.current;
    void client.call("block.turns", { blockId }).then((result) => {
      if (ask === asks.current && result.ok) setTurns(result.value.turns);
    });
  }, [client, blockId]);
  useAtRest(replica, restMs, refresh);

  const change = (turnId: TurnId, undone: boolean): void => {
    void client.call(undone ? "turn.redo" : "turn.undo", { turnId }).then((result) => {
      refresh();
      if (!result.ok) return tell(result.error);
      const done = undone ? "The agent’s turn is redone." : "The agent’s turn is undone.";
      announce(done + unchangedWords(result.value.unchanged));
    });
  };
  // An agent may have written since the turns were read, so they are read again to show the current last turn.
  const lookAtLast = (look: (turn: AgentTurn) => void): void => {
    void client.call("block.turns", { blockId }).then((result) => {
      if (!result.ok) return tell(result.error);
      setTurns(result.value.turns);
      const last = nextTurnUndo(result.value.turns);
      const turn = last.type === "none" ? undefined : result.value.turns.find(({ turnId }) => turnId === last.turnId);
      if (turn !== undefined) look(turn);
    });
  };
  return { turns, refresh, change, lookAtLast };
}
