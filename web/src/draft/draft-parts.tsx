import type { HunkId } from "../../../src/core/base/ids.ts";
import { hunksOfDraft } from "../../../src/core/block/suggestion/draft-hunks.ts";
import type { Suggestion } from "../../../src/core/block/suggestion/suggestion.ts";
import { DiffView } from "../diff/diff-view.tsx";
import { hunkDiff } from "../review/review-items.ts";
import { Icon } from "../ui/icons.tsx";
import type { ListedDraft } from "./draft-list.ts";

/** The parts of a draft, each of which a person may choose. */
export function DraftParts(props: {
  readonly draft: ListedDraft;
  readonly suggestions: readonly Suggestion[];
  readonly conflicts: readonly HunkId[];
  readonly parts: ReadonlySet<HunkId>;
  readonly onParts: (parts: ReadonlySet<HunkId>) => void;
}) {
  const { draft, parts } = props;
  const hunks = hunksOfDraft(props.suggestions, draft.id).toSorted((a, b) => a.startLine - b.startLine);
  const choose = (id: HunkId, isChosen: boolean): void => {
    const next = new Set(parts);
    if (isChosen) next.add(id);
    else next.delete(id);
    props.onParts(next);
  };
  return (
    <ul className="draft-parts">
      {hunks.map((hunk, index) => (
        <li key={hunk.id} className="review-item">
          <label className="draft-part">
            <input
              type="checkbox"
              checked={parts.has(hunk.id)}
              onChange={({ target }) => choose(hunk.id, target.checked)}
            />
            Take part {index + 1} of draft {draft.number}
          </label>
          {props.conflicts.includes(hunk.id) && (
            <p className="review-conflict">
              <Icon name="alert" size={14} />
              Others changed these words since. Taking this part puts the draft’s words in the place of theirs.
            </p>
          )}
          <DiffView diff={hunkDiff(hunk)} still label={`Part ${index + 1}`} />
        </li>
      ))}
    </ul>
  );
}
