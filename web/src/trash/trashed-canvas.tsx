import { type ReactNode, useEffect, useState } from "react";
import type { TextReplica } from "../../../src/client/base/types.ts";
import type { BlockId } from "../../../src/core/base/ids.ts";
import type { TrashEntry } from "../../../src/core/forest/trash-entry.ts";
import { useApp } from "../ui/app-context.ts";
import { useObservable } from "../ui/use-observable.ts";
import { useSending } from "../ui/use-sending.ts";
import { entryWords } from "./trash-words.ts";
import { useDeletions } from "./use-deletions.ts";

/** Shows that a canvas or a file is in the trash, and restores it; `otherwise` where it is not there. */
export function TrashedCanvas(props: {
  readonly canvasId: BlockId;
  /** The canvas as this page has it: its edits wait for the restoration. */
  readonly replica: TextReplica | null;
  readonly otherwise: ReactNode;
}) {
  const { client, tell, announce } = useApp();
  const { restore: restoreEntry } = useDeletions();
  const { canvasId, replica } = props;
  const [entry, setEntry] = useState<TrashEntry | null>(null);
  const { sending, send } = useSending(() => {});
  useEffect(() => {
    let isCurrent = true;
    setEntry(null);
    void client.call("trash.list", { limit: 500 }).then((listed) => {
      if (!isCurrent || !listed.ok) return;
      setEntry(listed.value.entries.find(({ object }) => "blockId" in object && object.blockId === canvasId) ?? null);
    });
    return () => {
      isCurrent = false;
    };
  }, [client, canvasId]);
  if (entry === null) return props.otherwise;
  const restore = (): void => {
    void send(async () => {
      const restored = await restoreEntry(entry.id);
      if (restored.ok) announce(`Restored: ${entry.title}.`);
      else tell(restored.error);
      return restored.ok;
    });
  };
  return (
    <div className="empty" role="region" aria-label="In the trash">
      <h2>“{entry.title}” is in the trash</h2>
      <p>It was {entryWords(entry, Date.now())}.</p>
      {replica !== null && <Unsent replica={replica} />}
      <button type="button" className="button primary" disabled={sending} onClick={restore}>
        Restore
      </button>
    </div>
  );
}

function Unsent({ replica }: { readonly replica: TextReplica }) {
  const unsent = useObservable(replica.unconfirmed);
  return unsent === 0 ? null : (
    <p>What you typed last is kept on this page, and saved when you restore it. Keep the page open.</p>
  );
}
