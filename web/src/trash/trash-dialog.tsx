import { useCallback, useEffect, useState } from "react";
import type { TrashEntry } from "../../../src/core/forest/trash-entry.ts";
import { useApp } from "../ui/app-context.ts";
import { Dialog } from "../ui/dialog.tsx";
import { useSending } from "../ui/use-sending.ts";
import { KeptDays } from "./kept-days.tsx";
import { entryWords, kindWords } from "./trash-words.ts";
import { useDeletions } from "./use-deletions.ts";

/** What was deleted: to restore, or to delete for good. */
export function TrashDialog({ onClose }: { readonly onClose: () => void }) {
  const { client, tell, announce } = useApp();
  const { restore: restoreEntry } = useDeletions();
  const { entries, more, load } = useTrash();
  const { sending, send } = useSending(() => {});
  const [purging, setPurging] = useState(false);
  /** A file whose path is taken by now: restored beside that file, if the person says so. */
  const [taken, setTaken] = useState<TrashEntry["id"] | null>(null);
  const restore = (entry: TrashEntry): void => {
    const keepBoth = taken === entry.id;
    void send(async () => {
      const restored = await restoreEntry(entry.id, keepBoth ? { keepBoth } : {});
      setTaken(!restored.ok && restored.error.code === "FILE_EXISTS" ? entry.id : null);
      if (restored.ok) announce(`Restored: ${entry.title}.`);
      else tell(restored.error);
      await load();
      return restored.ok;
    });
  };
  const purge = (): void => {
    void send(async () => {
      const purged = await client.call("trash.purge", {});
      if (!purged.ok) tell(purged.error);
      setPurging(false);
      await load();
      return purged.ok;
    });
  };
  const now = Date.now();
  return (
    <Dialog title="Trash" className="trash-dialog" onClose={onClose}>
      {entries === null && <p aria-busy="true">Looking…</p>}
      {entries?.length === 0 && (
        <p className="quiet">The trash is empty. What you or agents delete waits here before it is gone for good.</p>
      )}
      <ul className="trash-list">
        {entries?.map((entry) => (
          <li key={entry.id}>
            <div>
              <strong>{entry.title}</strong>
              <p className="quiet">
                {kindWords(entry)}, {entryWords(entry, now)}
              </p>
            </div>
            <button
              type="button"
              className="button"
              disabled={sending}
              aria-label={
                taken === entry.id ? `Restore ${entry.title} beside the other file` : `Restore ${entry.title}`
              }
              onClick={() => restore(entry)}
            >
              {taken === entry.id ? "Restore beside it" : "Restore"}
            </button>
          </li>
        ))}
      </ul>
      {more && <p className="quiet">Older entries are not shown here. “heddle trash list” shows all.</p>}
      <KeptDays onChanged={() => void load()} />
      {entries !== null && entries.length > 0 && (
        <div className="button-row end">
          {purging ? (
            <button type="button" className="button danger" disabled={sending} onClick={purge}>
              Delete everything in the trash for good
            </button>
          ) : (
            <button type="button" className="button" disabled={sending} onClick={() => setPurging(true)}>
              Empty the trash…
            </button>
          )}
        </div>
      )}
    </Dialog>
  );
}

const shownMax = 200;

/** The newest entries; null until they are loaded. */
function useTrash(): {
  readonly entries: readonly TrashEntry[] | null;
  readonly more: boolean;
  readonly load: () => Promise<void>;
} {
  const { client, tell } = useApp();
  const [shown, setShown] = useState<{ readonly entries: readonly TrashEntry[]; readonly more: boolean } | null>(null);
  const load = useCallback(async () => {
    const listed = await client.call("trash.list", { limit: shownMax });
    if (listed.ok) setShown(listed.value);
    else tell(listed.error);
  }, [client, tell]);
  useEffect(() => void load(), [load]);
  return { entries: shown?.entries ?? null, more: shown?.more ?? false, load };
}
