import { useEffect, useState } from "react";
import type { BlockId } from "../../../src/core/base/ids.ts";
import { unifiedDiff } from "../../../src/core/block/patch/unified-diff.ts";
import { DiffView } from "../diff/diff-view.tsx";
import { useApp } from "../ui/app-context.ts";
import { Dialog } from "../ui/dialog.tsx";
import { Segmented } from "../ui/segmented.tsx";
import { TextView, viewChoices, type ViewChoice } from "./text-view.tsx";

/** A document as it was on a branch, for reading, and what changed since. */
export function ThenDialog(props: {
  readonly canvasId: BlockId;
  readonly title: string;
  readonly revisionId: string;
  readonly name: string;
  readonly onBring: () => void;
  readonly onClose: () => void;
}) {
  const { client } = useApp();
  const { canvasId, revisionId } = props;
  const [view, setView] = useState<ViewChoice>("text");
  const [texts, setTexts] = useState<{ readonly past: string; readonly now: string } | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  useEffect(() => {
    let stale = false;
    const read = async (): Promise<void> => {
      const [then, now] = await Promise.all([
        client.call("canvas.text", { canvasId, revisionId }),
        client.call("canvas.text", { canvasId, revisionId: null }),
      ]);
      if (stale) return;
      if (!then.ok) return setProblem(then.error.message);
      if (!now.ok) return setProblem(now.error.message);
      setTexts({ past: then.value.text, now: now.value.text });
    };
    void read();
    return () => {
      stale = true;
    };
  }, [client, canvasId, revisionId]);
  return (
    <Dialog title={`${props.title} as it was here (${props.name})`} className="history" onClose={props.onClose}>
      {problem !== null && <p role="alert">{problem}</p>}
      {texts === null && problem === null && <p aria-busy="true">Fetching…</p>}
      {texts !== null && (
        <div className="turn-change">
          <div className="history-bar">
            <Segmented label="View" value={view} options={viewChoices} onChange={setView} />
            <span className="spacer" />
            <button type="button" className="button primary" onClick={props.onBring}>
              Bring it here
            </button>
          </div>
          {view === "text" ? (
            <TextView text={texts.past} label="The text as it was here" />
          ) : (
            <DiffView diff={unifiedDiff(texts.past, texts.now)} label="What changed since" />
          )}
        </div>
      )}
    </Dialog>
  );
}
