import type { TextReplica } from "../../../src/client/base/types.ts";
import type { HunkId } from "../../../src/core/base/ids.ts";
import { lateWritesOfDraft } from "../../../src/core/block/suggestion/draft-hunks.ts";
import type { Suggestion } from "../../../src/core/block/suggestion/suggestion.ts";
import { DiffView } from "../diff/diff-view.tsx";
import { hunkDiff } from "../review/review-items.ts";
import { useApp } from "../ui/app-context.ts";
import { shortName } from "../view/words/words.ts";
import type { ListedDraft } from "./draft-list.ts";

/** What an agent wrote in a draft after a person had begun to write in it. */
export function LateWrites(props: {
  readonly replica: TextReplica;
  readonly draft: ListedDraft;
  readonly suggestions: readonly Suggestion[];
}) {
  const { client, tell, announce } = useApp();
  const canvasId = props.replica.blockId;
  const draftId = props.draft.id;
  const late = lateWritesOfDraft(props.suggestions, draftId).flatMap(({ author, hunks }) =>
    hunks.filter(({ state }) => state === "open").map((hunk) => ({ hunk, author })),
  );
  if (late.length === 0) return null;
  const putIn = async (id: HunkId): Promise<void> => {
    const read = await client.call("draft.read", { canvasId, draftId });
    if (!read.ok) return tell(read.error);
    const wish = { canvasId, draftId, baseHash: read.value.hash, base: read.value.text, changes: [] };
    const written = await client.call("draft.write", { ...wish, lateHunkIds: [id] });
    if (written.ok) announce("It is in the draft.");
    else tell(written.error);
  };
  const reject = async (id: HunkId): Promise<void> => {
    const rejected = await client.call("canvas.reject-hunks", { canvasId, hunkIds: [id] });
    if (!rejected.ok) tell(rejected.error);
  };
  return (
    <ul className="draft-parts late-writes" aria-label="Written too late">
      {late.map(({ hunk, author }, index) => (
        <li key={hunk.id} className="review-item">
          <p className="draft-part">
            {shortName(author.name)} wrote this after you had begun to write here, so it waits beside the draft.
          </p>
          <DiffView diff={hunkDiff(hunk)} still label={`Late write ${index + 1}`} />
          <div className="button-row end">
            <button type="button" className="quiet-button" onClick={() => void reject(hunk.id)}>
              Reject
            </button>
            <button type="button" className="button" onClick={() => void putIn(hunk.id)}>
              Put it into the draft
            </button>
          </div>
        </li>
      ))}
    </ul>
  );
}
