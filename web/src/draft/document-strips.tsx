import { useMemo, useState } from "react";
import type { TextReplica } from "../../../src/client/base/types.ts";
import type { NodeId } from "../../../src/core/base/ids.ts";
import type { ForestNode } from "../../../src/core/forest/types.ts";
import { openDrafts } from "../../../src/core/block/suggestion/draft-hunks.ts";
import { useApp } from "../ui/app-context.ts";
import { fetched } from "../ui/fetched.tsx";
import { Icon } from "../ui/icons.tsx";
import { useObservable } from "../ui/use-observable.ts";
import { useBranchText } from "./use-branch-text.ts";

const DraftsDialog = fetched(async () => (await import("./drafts-dialog.tsx")).DraftsDialog);
const ThenDialog = fetched(async () => (await import("./then-dialog.tsx")).ThenDialog);

interface StripsProps {
  readonly replica: TextReplica;
  readonly title: string;
  readonly nodesById: ReadonlyMap<NodeId, ForestNode>;
  /** The messages of the shown branch. */
  readonly path: readonly ForestNode[];
}

/** Above a document: its drafts, and how it differs from what it was on the shown branch. */
export function DocumentStrips(props: StripsProps) {
  return (
    <>
      <DraftsStrip {...props} />
      <BranchStrip {...props} />
    </>
  );
}

function DraftsStrip({ replica, title, nodesById, path }: StripsProps) {
  const suggestions = useObservable(replica.suggestions);
  const ids = useMemo(() => openDrafts(suggestions), [suggestions]);
  const [open, setOpen] = useState(false);
  if (ids.length === 0 && !open) return null;
  const own = path.findLast(({ draft }) => draft !== undefined)?.draft;
  const here = own !== undefined && ids.includes(own);
  const count = ids.length === 1 ? "1 draft of this document waits" : `${ids.length} drafts of this document wait`;
  return (
    <section className="document-strip" aria-label="Drafts">
      <Icon name="branch" size={15} />
      <span className="strip-words">
        {count}
        {here && <span className="quiet"> · this branch works in one of them</span>}
      </span>
      <button type="button" className="button small" onClick={() => setOpen(true)}>
        Compare and take
      </button>
      {open && (
        <DraftsDialog
          replica={replica}
          title={title}
          nodesById={nodesById}
          shownId={here ? own : null}
          onClose={() => setOpen(false)}
        />
      )}
    </section>
  );
}

function BranchStrip({ replica, title, path }: StripsProps) {
  const { client, tell, announce } = useApp();
  const canvasId = replica.blockId;
  const text = useBranchText(canvasId, path);
  const [leftId, setLeftId] = useState<string | null>(null);
  const [looks, setLooks] = useState(false);
  if (text === null || leftId === text.revision.revisionId) return null;
  const { revisionId, version } = text.revision;
  const leave = (): void => setLeftId(revisionId);
  const bring = (): void => {
    void client.call("canvas.bring", { canvasId, revisionId }).then((result) => {
      if (!result.ok) return tell(result.error);
      setLooks(false);
      leave();
      announce("The text of this branch waits as suggestions. Keep what you want of it.");
    });
  };
  return (
    <section className="document-strip" aria-label="This branch’s text">
      <Icon name="history" size={15} />
      <span className="strip-words">
        Another branch changed this document since: +{text.added} −{text.removed} lines
      </span>
      <button type="button" className="quiet-button" onClick={() => setLooks(true)}>
        Show it as it was here
      </button>
      <button
        type="button"
        className="quiet-button"
        title="Puts the text of this branch here as suggestions, which you keep or reject"
        onClick={bring}
      >
        Bring it here
      </button>
      <button type="button" className="icon-button" aria-label="Leave it as it is" onClick={leave}>
        <Icon name="close" size={14} />
      </button>
      {looks && (
        <ThenDialog
          canvasId={canvasId}
          title={title}
          revisionId={revisionId}
          name={`r${version}`}
          onBring={bring}
          onClose={() => setLooks(false)}
        />
      )}
    </section>
  );
}
