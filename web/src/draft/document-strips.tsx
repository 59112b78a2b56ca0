import { useMemo, useState } from "react";
import type { TextReplica } from "../../../src/client/base/types.ts";
import type { NodeId } from "../../../src/core/base/ids.ts";
import type { ForestNode } from "../../../src/core/forest/types.ts";
import { openDrafts } from "../../../src/core/block/suggestion/draft-hunks.ts";
import { useApp } from "../ui/app-context.ts";
import { fetched } from "../ui/fetched.tsx";
import { Icon } from "../ui/icons.tsx";
import { useObservable } from "../ui/use-observable.ts";
import { useDraftDocuments } from "./draft-documents.tsx";
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
  const [decisions, setDecisions] = useState(0);
  const own = path.findLast(({ draft }) => draft !== undefined)?.draft;
  const wanted = useMemo(() => [...new Set([...ids, ...(own === undefined ? [] : [own])])], [ids, own]);
  // The draft of the branch may make or move files and have no part of this document.
  const documents = useDraftDocuments(wanted, useSettled({ suggestions, path, decisions }));
  const elsewhere = wanted.filter((id) => (documents.get(id)?.length ?? 0) > 0);
  if (ids.length === 0 && elsewhere.length === 0 && !open) return null;
  const here = own !== undefined && (ids.includes(own) || elsewhere.includes(own));
  const count =
    ids.length === 0
      ? "A draft of this branch waits, with other documents"
      : ids.length === 1
        ? "1 draft of this document waits"
        : `${ids.length} drafts of this document wait`;
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
          documents={documents}
          onDecided={() => setDecisions((count) => count + 1)}
          onClose={() => setOpen(false)}
        />
      )}
    </section>
  );
}

/** Changes when drafts may have other parts: with a change or a decision here, and with each message of the branch. */
function useSettled(of: {
  readonly suggestions: unknown;
  readonly path: readonly ForestNode[];
  readonly decisions: number;
}): unknown {
  const { suggestions, path, decisions } = of;
  const tipId = path.at(-1)?.id ?? null;
  return useMemo(() => ({ suggestions, tipId, decisions }), [suggestions, tipId, decisions]);
}

function BranchStrip({ replica, title, path }: StripsProps) {
  const { client, tell, announce } = useApp();
  const canvasId = replica.blockId;
  const text = useBranchText(canvasId, path);
  const [leftId, setLeftId] = useState<string | null>(null);
  const [looks, setLooks] = useState(false);
  const open = openDrafts(useObservable(replica.suggestions));
  if (text === null || leftId === text.revision.revisionId) return null;
  // An open draft is offered above, as it is now.
  if (text.inDraft && path.some(({ draft }) => draft !== undefined && open.includes(draft))) return null;
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
        {text.inDraft
          ? "In its draft, this branch had another text of this document:"
          : "Another branch changed this document since:"}{" "}
        +{text.added} −{text.removed} lines
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
