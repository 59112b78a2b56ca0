import { useState } from "react";
import type { Compacts, ForestNode } from "../../../../src/core/forest/types.ts";
import { Icon } from "../../ui/icons.tsx";
import { useSending } from "../../ui/use-sending.ts";
import { useUnsaved } from "../../ui/kept/use-unsaved.ts";
import { summaryFigures, summaryTitle } from "../../view/branches/summary-words.ts";
import { wordsOf } from "../../view/words/words.ts";
import { useMessageActions } from "./message-actions.ts";

/** A compaction node: what it replaces and saves, its text, and the switch between it and the original messages. */
export function SummaryRow(props: { readonly node: ForestNode; readonly compacts: Compacts; readonly place: number }) {
  const { node, compacts, place } = props;
  const actions = useMessageActions();
  const [editing, setEditing] = useState(false);
  const off = compacts.off === true;
  const title = summaryTitle(compacts);
  return (
    <article
      className="summary-row"
      data-node-id={node.id}
      data-role="summary"
      data-off={off}
      tabIndex={-1}
      aria-posinset={place}
      aria-setsize={-1}
      aria-label={title}
    >
      <details>
        <summary>
          <Icon name="fold" size={15} />
          <span>{title}</span>
          <span className="quiet">{summaryFigures(compacts)}</span>
        </summary>
        {editing ? (
          <SummaryForm node={node} onClose={() => setEditing(false)} />
        ) : (
          <pre tabIndex={0} role="region" aria-label="Text of the summary">
            {wordsOf(node.message)}
          </pre>
        )}
      </details>
      <div className="button-row">
        <button type="button" className="quiet-button" onClick={() => actions?.switchSummary(node, !off)}>
          {off ? "Use the summary" : "Use the original messages"}
        </button>
        {!editing && (
          <button
            type="button"
            className="quiet-button"
            onClick={({ currentTarget }) => {
              const details = currentTarget.closest("article")?.querySelector("details");
              if (details) details.open = true;
              setEditing(true);
            }}
          >
            Edit the summary
          </button>
        )}
      </div>
    </article>
  );
}

function SummaryForm({ node, onClose }: { readonly node: ForestNode; readonly onClose: () => void }) {
  const actions = useMessageActions();
  const { text, write, forget } = useUnsaved(`summary.${node.id}`, wordsOf(node.message));
  const { sending, send } = useSending(onClose);
  return (
    <form
      className="edit-form"
      onSubmit={(event) => {
        event.preventDefault();
        if (text.trim() === "") return;
        void send(async () => {
          const done = (await actions?.rewriteSummary(node, text)) ?? false;
          if (done) forget();
          return done;
        });
      }}
    >
      <textarea aria-label="Edit the summary" rows={10} value={text} onChange={(event) => write(event.target.value)} />
      <div className="edit-row">
        <span className="composer-hint">The model reads this text instead of the messages.</span>
        <button
          type="button"
          className="button"
          onClick={() => {
            forget();
            onClose();
          }}
        >
          Cancel
        </button>
        <button type="submit" className="button primary" disabled={sending || text.trim() === ""}>
          Save the summary
        </button>
      </div>
    </form>
  );
}
