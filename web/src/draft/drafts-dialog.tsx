import { useEffect, useId, useMemo, useRef, useState } from "react";
import type { TextReplica } from "../../../src/client/base/types.ts";
import type { BlockId, DraftId, HunkId, NodeId } from "../../../src/core/base/ids.ts";
import { unifiedDiff } from "../../../src/core/block/patch/unified-diff.ts";
import type { Suggestion } from "../../../src/core/block/suggestion/suggestion.ts";
import type { ForestNode } from "../../../src/core/forest/types.ts";
import type { CommandAnswer } from "../../../src/core/protocol/commands.ts";
import { costWords } from "../../../src/core/base/cost-words.ts";
import { DiffView } from "../diff/diff-view.tsx";
import { useApp } from "../ui/app-context.ts";
import { AuthorMark } from "../ui/author.tsx";
import { Dialog } from "../ui/dialog.tsx";
import { Icon } from "../ui/icons.tsx";
import { Segmented } from "../ui/segmented.tsx";
import { useObservable } from "../ui/use-observable.ts";
import { DraftDocuments, type DocumentsByDraft, type DraftDocument } from "./draft-documents.tsx";
import { DraftParts } from "./draft-parts.tsx";
import { type ListedDraft, listDrafts } from "./draft-list.ts";
import { LateWrites } from "./late-writes.tsx";
import { TextView, viewChoices, type ViewChoice } from "./text-view.tsx";
import { WriteInDraft } from "./write-in-draft.tsx";

type DraftFacts = CommandAnswer<"draft.list">["drafts"][number];
type ReadDraft = DraftFacts & { readonly text: string; readonly shared: string };

/** Compares the drafts of a document, and takes one, parts of several, or none. */
export function DraftsDialog(props: {
  readonly replica: TextReplica;
  readonly title: string;
  readonly nodesById: ReadonlyMap<NodeId, ForestNode>;
  readonly shownId: DraftId | null;
  /** The documents of the drafts, this one among them. */
  readonly documents: DocumentsByDraft;
  /** Called when parts were taken or dropped, so that `documents` are read again. */
  readonly onDecided: () => void;
  readonly onClose: () => void;
}) {
  const { replica, documents, onClose } = props;
  const suggestions = useObservable(replica.suggestions);
  const listed = useListed(suggestions, props);
  const readById = useDraftTexts(replica, listed);
  const [parts, setParts] = useState<ReadonlySet<HunkId>>(new Set());
  const flush = useRef<(() => Promise<boolean>) | null>(null);
  const { chosen, onChoose, onWrite } = useChosen(listed, props.shownId);
  const { problem, say, take, drop } = useDecisions(replica, { ...props, open: listed.length });
  const takeDraft = async ({ id }: ListedDraft): Promise<void> => {
    if ((await flush.current?.()) !== false) take({ draftId: id, canvasIds: canvasesOf(documents.get(id)) });
  };
  const facts = [...readById.values(), ...listed.flatMap(({ id }) => documents.get(id) ?? [])];
  const left = [...new Set(facts.flatMap(({ hunkIds }) => hunkIds))].filter((id) => parts.has(id));
  const conflicts = new Set(facts.flatMap((each) => each.conflicts));
  const overruled = left.filter((id) => conflicts.has(id));
  const takeParts = (): void => {
    const canvasIds = listed.flatMap(({ id }) => canvasesOf(documents.get(id)));
    take({ canvasIds, hunkIds: left, overruled }, () => setParts(new Set()));
  };
  return (
    <Dialog title={`Drafts of ${props.title}`} className="history drafts" onClose={onClose}>
      <Problem words={problem} />
      {chosen === null ? (
        <p className="quiet">No draft is open any more.</p>
      ) : (
        <>
          <div className="history-body">
            <div className="history-list">
              <DraftChoice listed={listed} readById={readById} chosen={chosen} onChoose={onChoose} />
            </div>
            <ChosenDraft
              key={chosen.id}
              listed={listed}
              chosen={chosen}
              readById={readById}
              parts={parts}
              onParts={setParts}
              documents={documents.get(chosen.id) ?? []}
              suggestions={suggestions}
              replica={replica}
              title={props.title}
              flush={flush}
              onWrite={onWrite}
              onGone={() => {
                onWrite(false);
                say(goneWords(chosen));
              }}
            />
          </div>
          <div className="button-row end">
            <DropButtons
              listed={listed}
              chosen={chosen}
              onDrop={(drafts) => {
                onWrite(false);
                drop(drafts);
              }}
            />
            <span className="spacer" />
            <TakePartsButton count={left.length} onTake={takeParts} />
            <button type="button" className="button primary" onClick={() => void takeDraft(chosen)}>
              {`Take draft ${chosen.number}${inDocuments(documents.get(chosen.id))}`}
            </button>
          </div>
        </>
      )}
    </Dialog>
  );
}

/** The draft that is shown. One in which a person writes stays, also while nothing in it differs. */
function useChosen(listed: readonly ListedDraft[], shownId: DraftId | null) {
  const [chosenId, setChosenId] = useState(shownId);
  const [written, setWritten] = useState<ListedDraft | null>(null);
  const chosen = listed.find(({ id }) => id === chosenId) ?? written ?? listed[0] ?? null;
  const onWrite = (isWritten: boolean): void => {
    if (chosen !== null) setChosenId(chosen.id);
    setWritten(isWritten ? chosen : null);
  };
  return { chosen, onChoose: setChosenId, onWrite };
}

function goneWords({ number }: ListedDraft): string {
  return `Draft ${number} is gone: it was taken or dropped. “Undo mine” of whoever did it opens it again.`;
}

function Problem({ words }: { readonly words: string | null }) {
  if (words === null) return null;
  return (
    <p className="history-problem" role="alert">
      <Icon name="alert" size={14} /> {words}
    </p>
  );
}

/** The open drafts of the document, and those of other documents that the strip asked for. */
function useListed(
  suggestions: readonly Suggestion[],
  props: { readonly nodesById: ReadonlyMap<NodeId, ForestNode>; readonly documents: DocumentsByDraft },
): readonly ListedDraft[] {
  const { client } = useApp();
  const { nodesById, documents } = props;
  const models = useObservable(client.workspace)?.models;
  return useMemo(() => {
    const pricesOf = (id: string) => models?.find((each) => each.id === id)?.prices ?? null;
    const others = [...documents].flatMap(([id, found]) => (found.length > 0 ? [id] : []));
    return listDrafts(suggestions, nodesById.values(), pricesOf, others);
  }, [suggestions, nodesById, models, documents]);
}

function TakePartsButton({ count, onTake }: { readonly count: number; readonly onTake: () => void }) {
  if (count === 0) return null;
  return (
    <button type="button" className="button" onClick={onTake}>
      Take {count} chosen {count === 1 ? "part" : "parts"}
    </button>
  );
}

function DropButtons(props: {
  readonly listed: readonly ListedDraft[];
  readonly chosen: ListedDraft;
  readonly onDrop: (drafts: readonly ListedDraft[]) => void;
}) {
  const { listed, chosen, onDrop } = props;
  return (
    <>
      <button type="button" className="quiet-button" onClick={() => onDrop([chosen])}>
        Drop draft {chosen.number}
      </button>
      {listed.length > 1 && (
        <button type="button" className="quiet-button" onClick={() => onDrop(listed)}>
          {listed.length === 2 ? "Drop both" : `Drop all ${listed.length}`}
        </button>
      )}
    </>
  );
}

/** Reads the drafts' texts, again whenever a hunk or the shared text changes. */
function useDraftTexts(replica: TextReplica, listed: readonly ListedDraft[]): ReadonlyMap<DraftId, ReadDraft> {
  const { client } = useApp();
  const canvasId = replica.blockId;
  const version = useObservable(replica.header)?.version ?? 0;
  const [readById, setReadById] = useState<ReadonlyMap<DraftId, ReadDraft>>(new Map());
  useEffect(() => {
    let stale = false;
    const read = async (): Promise<void> => {
      const facts = await client.call("draft.list", { canvasId });
      if (!facts.ok || stale) return;
      const found = await Promise.all(
        facts.value.drafts.map(async (draft) => {
          const { draftId } = draft;
          const text = await client.call("draft.read", { canvasId, draftId });
          return text.ok ? [[draftId, { ...draft, ...text.value }] as const] : [];
        }),
      );
      if (!stale) setReadById(new Map(found.flat()));
    };
    void read();
    return () => {
      stale = true;
    };
  }, [client, canvasId, version, listed]);
  return readById;
}

function canvasesOf(documents: readonly DraftDocument[] | undefined): readonly BlockId[] {
  return documents?.map(({ canvasId }) => canvasId) ?? [];
}

function inDocuments(documents: readonly DraftDocument[] | undefined): string {
  return documents === undefined || documents.length < 2 ? "" : ` in ${documents.length} documents`;
}

interface Wish {
  /** The documents to take it in; the one that is open too. */
  readonly canvasIds: readonly BlockId[];
  readonly draftId?: DraftId;
  readonly hunkIds?: HunkId[];
  readonly overruled?: HunkId[];
}

function useDecisions(
  replica: TextReplica,
  {
    documents,
    open,
    onDecided,
    onClose,
  }: {
    readonly documents: DocumentsByDraft;
    readonly open: number;
    readonly onDecided: () => void;
    readonly onClose: () => void;
  },
) {
  const { client, announce } = useApp();
  const [problem, setProblem] = useState<string | null>(null);
  const canvasId = replica.blockId;
  const take = ({ canvasIds, draftId, hunkIds, overruled = [] }: Wish, then?: () => void): void => {
    setProblem(null);
    const alsoIn = [...new Set(canvasIds)].filter((id) => id !== canvasId);
    const wish = {
      canvasId,
      ...(alsoIn.length > 0 && { alsoIn }),
      ...(draftId !== undefined && { draftId }),
      ...(hunkIds !== undefined && { hunkIds }),
      ...(overruled.length > 0 && { overruled }),
    };
    void client.call("draft.take", wish).then((taken) => {
      onDecided();
      if (!taken.ok) return setProblem(conflictWords(taken.error));
      const documents = [taken.value, ...(taken.value.others ?? [])];
      const done = documents.flatMap((each) => each.hunkIds);
      const conflicts = documents.flatMap((each) => each.conflicts);
      const left = conflicts.length === 0 ? "" : ` ${partWords(conflicts.length)} in conflict wait for you.`;
      announce(`${partWords(done.length)} taken.${left} “Undo mine” reverts this.`);
      then?.();
      if (draftId !== undefined && conflicts.length === 0) onClose();
    });
  };
  const drop = (drafts: readonly ListedDraft[]): void => {
    setProblem(null);
    const drops = drafts.flatMap(({ id: draftId }) =>
      (documents.get(draftId) ?? [{ canvasId }]).map((each) =>
        client.call("draft.drop", { canvasId: each.canvasId, draftId }),
      ),
    );
    void Promise.all(drops).then((dropped) => {
      onDecided();
      const refused = dropped.find((each) => !each.ok);
      if (refused?.ok === false) return setProblem(refused.error.message);
      announce(
        drafts.length === 1 ? "Dropped. “Undo mine” opens it again." : "All dropped. “Undo mine” opens them again.",
      );
      if (drafts.length === open) onClose();
    });
  };
  return { problem, say: setProblem, take, drop };
}

function partWords(count: number): string {
  return count === 1 ? "1 part" : `${count} parts`;
}

function conflictWords({ code, message }: { readonly code: string; readonly message: string }): string {
  return code === "SUGGESTION_CONFLICT"
    ? "Nothing was taken: some of these parts are about the same words as others, or as what was written since. Choose one of each, or the parts that fit."
    : message;
}

/** The drafts, one of which is shown. */
function DraftChoice(props: {
  readonly listed: readonly ListedDraft[];
  readonly readById: ReadonlyMap<DraftId, ReadDraft>;
  readonly chosen: ListedDraft;
  readonly onChoose: (id: DraftId) => void;
}) {
  const group = useId();
  const number = new Intl.NumberFormat(undefined, { notation: "compact", maximumFractionDigits: 1 });
  return (
    <fieldset>
      <legend className="visually-hidden">Drafts</legend>
      {props.listed.map((draft) => {
        const read = props.readById.get(draft.id);
        const facts = [
          ...(read === undefined ? [] : [`+${read.linesAdded} −${read.linesRemoved} lines`]),
          ...(draft.tokens > 0 ? [`${number.format(draft.tokens)} tokens`] : []),
          ...(draft.dollars > 0 ? [costWords(draft.dollars)] : []),
          ...(draft.calls > 0 ? [`${draft.calls} tool ${draft.calls === 1 ? "call" : "calls"}`] : []),
        ];
        const conflicts = read?.conflicts.length ?? 0;
        return (
          <label key={draft.id} className="history-entry">
            <input
              type="radio"
              name={group}
              checked={draft === props.chosen}
              onChange={() => props.onChoose(draft.id)}
            />
            {draft.author !== null && <AuthorMark actor={draft.author} size={20} />}
            <span className="history-words">
              <strong>{draft.name}</strong>
              <span className="quiet">{facts.join(" · ")}</span>
              {conflicts > 0 && (
                <span className="draft-conflicts">
                  <Icon name="alert" size={12} /> {partWords(conflicts)} in conflict
                </span>
              )}
            </span>
          </label>
        );
      })}
    </fieldset>
  );
}

const everybody = "shared";
const draftViews = [...viewChoices, { value: "write", label: "Write", title: "Write in this draft" }] as const;

/** What a draft is compared with. */
function Other(props: {
  readonly listed: readonly ListedDraft[];
  readonly chosen: ListedDraft;
  readonly otherId: DraftId | typeof everybody;
  readonly onOther: (id: DraftId | typeof everybody) => void;
}) {
  const { listed, chosen, otherId, onOther } = props;
  const selectId = useId();
  return (
    <span className="compared">
      <label htmlFor={selectId}>compared with</label>
      <select
        id={selectId}
        value={otherId}
        onChange={({ target }) => onOther(listed.find(({ id }) => id === target.value)?.id ?? everybody)}
      >
        <option value={everybody}>the text that everybody has</option>
        {listed
          .filter(({ id }) => id !== chosen.id)
          .map(({ id, name }) => (
            <option key={id} value={id}>
              {name}
            </option>
          ))}
      </select>
    </span>
  );
}

/** A draft beside the shared text or another draft. */
function ChosenDraft(props: {
  readonly listed: readonly ListedDraft[];
  readonly chosen: ListedDraft;
  readonly readById: ReadonlyMap<DraftId, ReadDraft>;
  readonly parts: ReadonlySet<HunkId>;
  readonly onParts: (parts: ReadonlySet<HunkId>) => void;
  readonly documents: readonly DraftDocument[];
  readonly suggestions: Parameters<typeof DraftParts>[0]["suggestions"];
  readonly replica: TextReplica;
  readonly title: string;
  readonly flush: Parameters<typeof WriteInDraft>[0]["flush"];
  readonly onWrite: (isWritten: boolean) => void;
  readonly onGone: () => void;
}) {
  const { chosen, readById } = props;
  const [view, setView] = useState<ViewChoice | "write">("changes");
  const [otherId, setOtherId] = useState<DraftId | typeof everybody>(everybody);
  const read = readById.get(chosen.id);
  const others = props.documents.filter(({ canvasId }) => canvasId !== props.replica.blockId);
  const other = otherId === everybody ? undefined : readById.get(otherId);
  const compared = useMemo(() => {
    if (read === undefined || other === undefined) return null;
    return unifiedDiff(other.text, read.text);
  }, [read, other]);
  return (
    <section className="history-change" aria-label={chosen.name}>
      <div className="history-bar">
        <Segmented
          label="View"
          value={view}
          options={read === undefined ? draftViews.slice(0, 1) : draftViews}
          onChange={(next) => {
            setView(next);
            props.onWrite(next === "write");
          }}
        />
        <span className="spacer" />
        {view !== "write" && read !== undefined && <Other {...props} otherId={otherId} onOther={setOtherId} />}
      </div>
      {view === "write" && (
        <WriteInDraft
          {...props}
          draft={chosen}
          onGone={() => {
            // The draft may have parts of other documents.
            setView("changes");
            props.onGone();
          }}
        />
      )}
      {read === undefined && others.length === 0 && <p aria-busy="true">Comparing…</p>}
      {read === undefined && view === "changes" && <DraftDocuments {...props} draftId={chosen.id} documents={others} />}
      {read !== undefined && view === "text" && (
        <div className="text-columns">
          <TextView caption text={read.text} label={`Text of draft ${chosen.number}`} />
          <TextView
            caption
            text={other?.text ?? read.shared}
            label={other === undefined ? "The text that everybody has" : "Text of the other draft"}
          />
        </div>
      )}
      {read !== undefined && view === "changes" && compared === null && (
        <div className="draft-changes">
          <LateWrites {...props} draft={chosen} />
          <DraftParts {...props} draft={chosen} conflicts={read.conflicts} />
          <DraftDocuments {...props} draftId={chosen.id} documents={others} />
        </div>
      )}
      {view === "changes" && compared !== null && (
        <>
          {compared === "" && <p className="quiet">The texts are the same.</p>}
          {compared !== "" && <DiffView diff={compared} label="Changes between the drafts" />}
        </>
      )}
    </section>
  );
}
