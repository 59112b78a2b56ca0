import { type RefObject, useEffect, useRef, useState } from "react";
import type { TextReplica } from "../../../src/client/base/types.ts";
import type { Suggestion } from "../../../src/core/block/suggestion/suggestion.ts";
import { loadCode } from "../browser/load-code.ts";
import { useApp } from "../ui/app-context.ts";
import { Icon } from "../ui/icons.tsx";
import { useObservable } from "../ui/use-observable.ts";
import type { DraftEditor } from "./draft-editor.ts";
import type { ListedDraft } from "./draft-list.ts";
import { LateWrites } from "./late-writes.tsx";

/** How often a draft in which somebody else writes is asked whether they have stopped. Milliseconds. */
const lookEveryMs = 3_000;

interface WritingProps {
  readonly replica: TextReplica;
  readonly draft: ListedDraft;
  readonly suggestions: readonly Suggestion[];
  readonly title: string;
  /** Set while the editor is open: sends what is left, and returns whether all of it is in the draft. */
  readonly flush: { current: (() => Promise<boolean>) | null };
  /** Called when somebody has taken or dropped the draft. */
  readonly onGone: () => void;
}

const goneCodes: ReadonlySet<string> = new Set(["DRAFT_ENDED", "DRAFT_NOT_FOUND"]);

/** A draft in an editor. Its agent stops at the first key; another person keeps it until they stop, or until one takes over. */
export function WriteInDraft(props: WritingProps) {
  const host = useRef<HTMLDivElement>(null);
  const { problem, writer, takeOver } = useDraftEditor(host, props);
  return (
    <div className="draft-writing">
      {problem !== null && (
        <p className="history-problem" role="alert">
          <Icon name="alert" size={14} /> {problem.message}
          {problem.code === "LOCK_NOT_AVAILABLE" && (
            <button type="button" className="button" onClick={takeOver}>
              Take over
            </button>
          )}
        </p>
      )}
      {problem === null && writer !== null && (
        <p className="quiet">
          {writer.isAgent
            ? `${writer.name} is at work in this draft. Your first key stops it; what it writes after that waits here.`
            : `${writer.name} is writing in this draft.`}
        </p>
      )}
      <div ref={host} className="draft-text" />
      <LateWrites {...props} />
    </div>
  );
}

/** Opens the editor of a draft in `host`, and says why words are refused and who else writes there. */
function useDraftEditor(host: RefObject<HTMLDivElement | null>, props: WritingProps) {
  const { replica, draft, suggestions, flush } = props;
  const { client, tell } = useApp();
  const editor = useRef<DraftEditor | null>(null);
  const onGone = useRef(props.onGone);
  onGone.current = props.onGone;
  const [problem, setProblem] = useState<{ readonly code: string; readonly message: string } | null>(null);
  const [writer, setWriter] = useState<{ readonly name: string; readonly isAgent: boolean } | null>(null);
  const canvasId = replica.blockId;
  const label = `Text of draft ${draft.number} of ${props.title}`;
  useEffect(() => {
    let ended = false;
    const wish = { canvasId, draftId: draft.id };
    const read = async () => {
      const found = await client.call("draft.read", wish);
      if (ended) return found;
      if (found.ok) setWriter(found.value.writer?.isYou === false ? found.value.writer : null);
      else if (goneCodes.has(found.error.code)) onGone.current();
      return found;
    };
    // The editor is closed, and its last words were refused.
    const keepWords = (text: string, message: string): void =>
      tell(message, { label: "Copy your text", run: () => void navigator.clipboard.writeText(text) });
    const open = async (): Promise<void> => {
      const [{ DraftEditor }, start] = await Promise.all([loadCode(() => import("./draft-editor.ts")), read()]);
      if (ended || host.current === null) return;
      if (!start.ok) return goneCodes.has(start.error.code) ? undefined : tell(start.error);
      const made = new DraftEditor(
        host.current,
        { ...start.value, label, draftId: draft.id },
        {
          read,
          write: (changes) => client.call("draft.write", { ...wish, ...changes }),
          refused(refused) {
            if (ended) {
              if (refused !== null) keepWords(made.sync.text, refused.message);
              return;
            }
            if (refused !== null && goneCodes.has(refused.code)) return onGone.current();
            setProblem(refused);
            if (refused === null) setWriter(null);
          },
        },
      );
      editor.current = made;
    };
    flush.current = async () => (await editor.current?.sync.flush()) ?? true;
    void open().catch(() => tell("The editor could not be loaded. The draft is safe. Reload the page to try again."));
    const timer = setInterval(() => void read(), lookEveryMs);
    return () => {
      ended = true;
      clearInterval(timer);
      flush.current = null;
      editor.current?.destroy();
      editor.current = null;
    };
  }, [client, tell, canvasId, draft.id, label, flush, host]);
  const version = useObservable(replica.header)?.version ?? 0;
  useEffect(() => editor.current?.sync.changed(), [suggestions, version]);
  return { problem, writer, takeOver: () => editor.current?.sync.takeOver() };
}
