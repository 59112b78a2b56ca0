import { useState } from "react";
import { listedNames } from "../../../../src/core/base/listed-names.ts";
import type { ForestNode } from "../../../../src/core/forest/types.ts";
import { useApp } from "../../ui/app-context.ts";
import { writtenPieces } from "../../view/branches/who-wrote.ts";

/** Says on a reply's row who changed it, and shows on demand who wrote which words. */
export function WhoWrote(props: {
  readonly node: ForestNode;
  /** Makes the reply say again what the model had said; null where that cannot be done in place. */
  readonly onUndo: (() => void) | null;
}) {
  const { node, onUndo } = props;
  const [shown, setShown] = useState(false);
  if (node.edited === undefined) return null;
  const names = listedNames(node.edited.by.map(({ name }) => name));
  return (
    <div className="who-wrote">
      <button
        type="button"
        className="quiet-button"
        aria-expanded={shown}
        title={shown ? "Hide who wrote what" : "Show who wrote what"}
        onClick={() => setShown(!shown)}
      >
        edited by {names}
      </button>
      {shown && <Pieces node={node} />}
      {shown && onUndo !== null && (
        <button type="button" className="quiet-button" onClick={onUndo}>
          Undo the edits
        </button>
      )}
    </div>
  );
}

function Pieces({ node }: { readonly node: ForestNode }) {
  const { hues } = useApp();
  return (
    <div className="written-pieces" role="note" aria-label="Who wrote what">
      {writtenPieces(node).map(({ text, actor }, index) => (
        <span
          key={index}
          className={`by-${actor.type}`}
          data-hue={hues.hueOf(actor.id)}
          title={actor.name}
          data-author={actor.name}
        >
          {text}
        </span>
      ))}
    </div>
  );
}
