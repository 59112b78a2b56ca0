import { useState } from "react";
import type { ForestNode } from "../../../../src/core/forest/types.ts";
import { DiffView } from "../../diff/lazy-diff-view.tsx";
import { canvasesIn, canvasLine, instructionLine } from "../../view/branches/hidden.ts";
import { excerpt, wordsOf } from "../../view/words/words.ts";
import { useCanvasTitles } from "./use-canvas-titles.ts";

/** Text that Heddle sent to the model between two messages, folded to one line that the reader can open. */
export function HiddenLine({ node, place }: { readonly node: ForestNode; readonly place: number }) {
  const [open, setOpen] = useState(false);
  const titles = useCanvasTitles(canvasesIn([node]));
  const { message } = node;
  const words = wordsOf(message);
  const update = message.role === "user" ? message.update : undefined;
  const line = update === undefined ? null : canvasLine(update, message, titles);
  return (
    <article
      className="thin-line"
      data-node-id={node.id}
      data-role={line === null ? message.role : "canvas"}
      data-canvas-update={line !== null}
      tabIndex={-1}
      aria-posinset={place}
      aria-setsize={-1}
      aria-label={line === null ? "Sent to the model" : "Canvas change, sent to the model"}
    >
      <details onToggle={(event) => setOpen(event.currentTarget.open)}>
        <summary>
          {line === null ? (instructionLine(node) ?? excerpt(words, 70)) : line.title}
          {line !== null && line.diff !== null && (
            <>
              {" · "}
              <span className="added">+{line.added}</span> <span className="removed">−{line.removed}</span>
            </>
          )}
        </summary>
        {line !== null && line.diff !== null ? (
          open && <DiffView diff={line.diff} />
        ) : (
          <pre tabIndex={0} role="region" aria-label="Text sent to the model">
            {words}
          </pre>
        )}
      </details>
    </article>
  );
}
