import { useEffect, useMemo, useState } from "react";
import type { BlockId, DraftId, HunkId } from "../../../src/core/base/ids.ts";
import { unifiedDiff } from "../../../src/core/block/patch/unified-diff.ts";
import type { CommandAnswer } from "../../../src/core/protocol/commands.ts";
import { DiffView } from "../diff/diff-view.tsx";
import { useApp } from "../ui/app-context.ts";
import { Icon } from "../ui/icons.tsx";

export type DraftDocument = CommandAnswer<"draft.documents">["documents"][number];
export type DocumentsByDraft = ReadonlyMap<DraftId, readonly DraftDocument[]>;

/** Reads the documents in which drafts have parts, again whenever `version` changes. */
export function useDraftDocuments(ids: readonly DraftId[], version: unknown): DocumentsByDraft {
  const { client } = useApp();
  const [found, setFound] = useState<DocumentsByDraft>(new Map());
  const key = ids.join(" ");
  useEffect(() => {
    let stale = false;
    const read = async (): Promise<void> => {
      const draftIds = key === "" ? [] : (key.split(" ") as DraftId[]);
      const listed = await Promise.all(
        draftIds.map(async (draftId) => [draftId, await client.call("draft.documents", { draftId })] as const),
      );
      if (stale) return;
      setFound(new Map(listed.flatMap(([id, answer]) => (answer.ok ? [[id, answer.value.documents] as const] : []))));
    };
    void read();
    return () => {
      stale = true;
    };
  }, [client, key, version]);
  return found;
}

/** Says what a draft does with a document: "Creates new.md", "Moves a.md to b.md". */
export function documentWords({ does, title, from }: Pick<DraftDocument, "does" | "title" | "from">): string {
  const name = title ?? "a document";
  switch (does) {
    case "creates":
      return `Creates ${name}`;
    case "moves":
      return `Moves ${from ?? "a file"} to ${name}`;
    case "deletes":
      return `Deletes ${name}`;
    case "edits":
      return `Changes ${name}`;
  }
}

/** What a draft does with other documents, each of which a person may choose as a whole. */
export function DraftDocuments(props: {
  readonly draftId: DraftId;
  readonly documents: readonly DraftDocument[];
  readonly parts: ReadonlySet<HunkId>;
  readonly onParts: (parts: ReadonlySet<HunkId>) => void;
}) {
  const { documents, parts } = props;
  if (documents.length === 0) return null;
  const choose = ({ hunkIds }: DraftDocument, isChosen: boolean): void => {
    const others = [...parts].filter((id) => !hunkIds.includes(id));
    props.onParts(new Set(isChosen ? [...others, ...hunkIds] : others));
  };
  return (
    <ul className="draft-parts draft-documents" aria-label="Files and other documents of this draft">
      {documents.map((document) => (
        <li key={document.canvasId} className="review-item">
          <label className="draft-part">
            <input
              type="checkbox"
              checked={document.hunkIds.every((id) => parts.has(id))}
              onChange={({ target }) => choose(document, target.checked)}
            />
            {documentWords(document)}
            <span className="quiet">
              +{document.linesAdded} −{document.linesRemoved} lines
            </span>
          </label>
          {document.conflicts.length > 0 && <DocumentConflict document={document} />}
          {document.linesAdded + document.linesRemoved > 0 && (
            <DocumentChanges draftId={props.draftId} document={document} />
          )}
        </li>
      ))}
    </ul>
  );
}

/** What becomes of others' words where a person chooses a part all the same. */
export function DocumentConflict({ document: { does } }: { readonly document: Pick<DraftDocument, "does"> }) {
  return (
    <p className="review-conflict">
      <Icon name="alert" size={14} />
      {does === "deletes"
        ? "Others changed this file since. Taking this part moves it to the trash with their words."
        : "Others changed the same words since. Taking this part puts the draft’s words in the place of theirs."}
    </p>
  );
}

/** The changed lines, read when somebody wants to see them. */
function DocumentChanges(props: { readonly draftId: DraftId; readonly document: DraftDocument }) {
  const [isOpen, setIsOpen] = useState(false);
  return (
    <details onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
      <summary>Show what changes</summary>
      {isOpen && <ReadChanges {...props} canvasId={props.document.canvasId} />}
    </details>
  );
}

function ReadChanges(props: {
  readonly draftId: DraftId;
  readonly document: DraftDocument;
  readonly canvasId: BlockId;
}) {
  const { client } = useApp();
  const { draftId, canvasId, document } = props;
  const [texts, setTexts] = useState<{ readonly text: string; readonly shared: string } | null>(null);
  const [problem, setProblem] = useState<string | null>(null);
  useEffect(() => {
    let stale = false;
    void client.call("draft.read", { canvasId, draftId }).then((read) => {
      if (stale) return;
      if (read.ok) setTexts(read.value);
      else setProblem(read.error.message);
    });
    return () => {
      stale = true;
    };
  }, [client, canvasId, draftId, document]);
  const diff = useMemo(() => (texts === null ? "" : unifiedDiff(texts.shared, texts.text)), [texts]);
  if (problem !== null) return <p role="alert">{problem}</p>;
  if (texts === null) return <p aria-busy="true">Fetching…</p>;
  return <DiffView diff={diff} still label={`Changes of ${document.title ?? "the document"}`} />;
}
