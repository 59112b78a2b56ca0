import type { HunkId } from "../../../src/core/base/ids.ts";
import { hunksOfDraft } from "../../../src/core/block/suggestion/draft-hunks.ts";
import { filePartsOf, type FilePart } from "../../../src/core/block/suggestion/file-part.ts";
import type { Suggestion } from "../../../src/core/block/suggestion/suggestion.ts";
import { DiffView } from "../diff/diff-view.tsx";
import { DocumentConflict, documentWords } from "./draft-documents.tsx";
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
  const fileParts = filePartsOf(props.suggestions, draft.id);
  return (
    <ul className="draft-parts">
      {fileParts.map((part) => (
        <li key={part.hunkId} className="review-item">
          <label className="draft-part">
            <input
              type="checkbox"
              checked={parts.has(part.hunkId)}
              onChange={({ target }) => choose(part.hunkId, target.checked)}
            />
            {fileWords(part)}
          </label>
          {props.conflicts.includes(part.hunkId) && <DocumentConflict document={{ does: "deletes" }} />}
        </li>
      ))}
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

function fileWords({ proposes }: FilePart): string {
  if (proposes.type === "create") return documentWords({ does: "creates", title: proposes.path, from: null });
  if (proposes.type === "delete") return "Deletes this file";
  return proposes.path === undefined ? "Changes this document" : `Moves this file to ${proposes.path}`;
}
