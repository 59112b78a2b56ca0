import { useEffect, useId, useState } from "react";
import type { TextReplica } from "../../../src/client/base/types.ts";
import { diffChanges } from "../../../src/core/block/change/diff-changes.ts";
import { useApp } from "../ui/app-context.ts";
import { Dialog } from "../ui/dialog.tsx";
import { type KeptLines, mergedText, type MergePlace, mergePlaces } from "./merge-places.ts";

const sides: readonly (readonly [KeptLines, string])[] = [
  ["mine", "Mine"],
  ["file", "The file’s"],
  ["both", "Both"],
];

/** Both texts of a file in conflict, place by place, and a merge of them. */
export function MergeDialog(props: {
  readonly path: string;
  readonly replica: TextReplica;
  readonly onClose: () => void;
}) {
  const { client, tell, announce } = useApp();
  const { replica, path, onClose } = props;
  const [found, setFound] = useState<{ readonly mine: string; readonly theirs: string; readonly hash: string } | null>(
    null,
  );
  const [choices, setChoices] = useState<readonly KeptLines[]>([]);
  const [isBusy, setBusy] = useState(false);
  useEffect(() => {
    let stale = false;
    void client.call("file.conflict", { blockId: replica.blockId }).then((answer) => {
      if (stale) return;
      if (answer.ok) setFound({ mine: replica.text(), ...answer.value });
      else {
        tell(answer.error);
        onClose();
      }
    });
    return () => {
      stale = true;
    };
  }, [client, replica, tell, onClose]);

  const save = async (): Promise<void> => {
    if (found === null) return;
    if (replica.text() !== found.mine) {
      setFound({ ...found, mine: replica.text() });
      setChoices([]);
      return tell("The document changed meanwhile, so nothing was saved. Here is how the texts differ now.");
    }
    setBusy(true);
    const changes = diffChanges(found.mine, mergedText(found.mine, found.theirs, choices));
    if (changes.length > 0) replica.edit(changes);
    const ended = await client.call("file.resolve", { blockId: replica.blockId, keep: "ours", hash: found.hash });
    setBusy(false);
    if (!ended.ok) return tell(ended.error);
    announce(`The merge is written to ${path}.`);
    onClose();
  };
  const places = found === null ? [] : mergePlaces(found.mine, found.theirs);
  return (
    <Dialog title={`Merge ${path}`} className="merge-dialog" onClose={onClose}>
      {found === null ? (
        <p className="quiet" role="status">
          Reading…
        </p>
      ) : (
        <>
          <p className="quiet">
            {places.length === 1 ? "The texts differ in 1 place." : `The texts differ in ${places.length} places.`}{" "}
            Choose what to keep in each; “Undo mine” takes the merge back.
          </p>
          <ol className="merge-places">
            {places.map((place, index) => (
              <Place
                key={`${place.line} ${place.mine} ${place.file}`}
                place={place}
                kept={choices[index] ?? "mine"}
                onKeep={(kept) => setChoices(places.map((_, at) => (at === index ? kept : (choices[at] ?? "mine"))))}
              />
            ))}
          </ol>
          <div className="button-row end">
            <button type="button" className="button" onClick={onClose}>
              Cancel
            </button>
            <button type="button" className="button primary" disabled={isBusy} onClick={() => void save()}>
              Save this merge
            </button>
          </div>
        </>
      )}
    </Dialog>
  );
}

/** One place of a conflict: both texts, and which is kept. */
function Place(props: {
  readonly place: MergePlace;
  readonly kept: KeptLines;
  readonly onKeep: (kept: KeptLines) => void;
}) {
  const { place, kept, onKeep } = props;
  const group = useId();
  return (
    <li>
      <fieldset>
        <legend>Line {place.line}</legend>
        <div className="merge-texts">
          <pre tabIndex={0} role="region" aria-label={`Mine, line ${place.line}`}>
            {place.mine === "" ? "(nothing)" : place.mine}
          </pre>
          <pre tabIndex={0} role="region" aria-label={`The file’s, line ${place.line}`}>
            {place.file === "" ? "(nothing)" : place.file}
          </pre>
        </div>
        <div className="choices">
          {sides.map(([value, label]) => (
            <label key={value}>
              <input type="radio" name={group} checked={kept === value} onChange={() => onKeep(value)} />
              <span>{label}</span>
            </label>
          ))}
        </div>
      </fieldset>
    </li>
  );
}
