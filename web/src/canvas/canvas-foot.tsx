import type { Observable, PresenceView, TextReplica } from "../../../src/client/base/types.ts";
import type { NodeId } from "../../../src/core/base/ids.ts";
import type { ForestNode } from "../../../src/core/forest/types.ts";
import { AuthorMark } from "../ui/author.tsx";
import { Icon } from "../ui/icons.tsx";
import { useObservable } from "../ui/use-observable.ts";
import { CountChip } from "./menu/count-chip.tsx";
import { UndoButtons } from "./undo-buttons.tsx";
import type { CanvasActions } from "./use-canvas-actions.ts";

/** The bar below a canvas or a file: undo, history and the other people present. */
export function CanvasFoot(props: {
  readonly replica: TextReplica;
  readonly actions: CanvasActions;
  readonly nodesById: ReadonlyMap<NodeId, ForestNode>;
  /** null when no revisions are kept. */
  readonly onHistory: (() => void) | null;
}) {
  const { replica, actions } = props;
  return (
    <footer className="canvas-foot">
      <UndoButtons replica={replica} nodesById={props.nodesById} onUndo={actions.undoMine} onRedo={actions.redoMine} />
      <span className="spacer" />
      <CountChip replica={replica} />
      {props.onHistory !== null && (
        <button
          type="button"
          className="icon-button"
          aria-label="History"
          title="Compare and restore earlier versions"
          aria-haspopup="dialog"
          onClick={props.onHistory}
        >
          <Icon name="history" size={15} />
        </button>
      )}
      <Here presence={replica.presence} />
    </footer>
  );
}

function Here({ presence }: { readonly presence: Observable<readonly PresenceView[]> }) {
  const others = useObservable(presence);
  if (others.length === 0) return null;
  return (
    <ul className="here" aria-label="Also in this canvas">
      {others.map((other) => (
        <li key={other.clientId} title={other.actor.name}>
          <AuthorMark actor={other.actor} size={20} />
          <span className="visually-hidden">{other.actor.name}</span>
        </li>
      ))}
    </ul>
  );
}
