import type { RunId } from "../../../src/core/base/ids.ts";
import { CopyButton } from "../ui/copy-button.tsx";
import { Icon } from "../ui/icons.tsx";
import { keepTyped, type LeftWords, useLeftWords } from "./typed-words.ts";

/** Words typed into closed cards of a run and never sent; without the open card. */
export function LeftWordsCards({ runId, openCard }: { readonly runId: RunId; readonly openCard: string | null }) {
  return useLeftWords(runId, openCard).map((left) => <LeftWordsCard key={left.card} runId={runId} left={left} />);
}

function LeftWordsCard({ runId, left }: { readonly runId: RunId; readonly left: LeftWords }) {
  return (
    <section className="turn-card" data-card="left" aria-label="What you typed">
      <Icon name="alert" size={18} />
      <div>
        <p>This request was answered elsewhere or stopped before you sent your answer. Your text is kept here.</p>
        <pre>{left.text}</pre>
        <div className="button-row">
          <CopyButton text={left.text} label="Copy what you typed" />
          <button type="button" className="button" onClick={() => keepTyped(left.card, { runId, fields: [] })}>
            Dismiss
          </button>
        </div>
      </div>
    </section>
  );
}
