import { type FormEvent, type KeyboardEvent, type RefObject, useEffect, useRef, useState } from "react";
import type { BlockId, ThreadId } from "../../../src/core/base/ids.ts";
import { commentUnitsMax } from "../../../src/core/block/comment/thread-steps.ts";
import { Markdown } from "../markdown/lazy-markdown.tsx";
import { AuthorMark } from "../ui/author.tsx";
import { Icon } from "../ui/icons.tsx";
import { useUnsaved } from "../ui/kept/use-unsaved.ts";
import { momentLabel } from "../view/words/undo-label.ts";
import { shortName } from "../view/words/words.ts";
import { aboutWords, countWords, intents, placeNote, type ShownThread } from "./comment-words.ts";
import { begunComment, type CommentDraft, unsentWords, wordsKey } from "./unsent-comment.ts";
import type { Comments } from "./use-comments.ts";

/** The comments on a document: arrow keys move between them, Enter answers, Escape returns to the text. */
export function CommentsPanel(props: {
  readonly comments: Comments;
  readonly blockId: BlockId;
  readonly title: string;
  /** Called when the list, or a field in it, takes room from the text. */
  readonly onShown: () => void;
  /** Scrolls the text to a thread. */
  readonly onReveal: (thread: ShownThread) => void;
  readonly onLeave: () => void;
}) {
  const { comments } = props;
  const [resolvedToo, setResolvedToo] = useState(false);
  const root = useRef<HTMLElement>(null);
  const { draft, currentId, threads } = comments;
  const shown = threads.filter(({ thread }) => resolvedToo || thread.state === "open" || thread.id === currentId);
  const resolved = threads.length - comments.open;
  useCurrentInView(root, currentId);
  useShown(props.onShown, draft !== null);
  useFocusWhenSought(root, comments.sought);
  const leave = (): void => {
    comments.show(false);
    props.onLeave();
  };
  const onKeyDown = (event: KeyboardEvent): void => {
    if (event.key !== "Escape") return moveByKey(event, root.current);
    event.stopPropagation();
    if (draft === null) return leave();
    // Begun words stay.
    if (begunComment(props.blockId) === null) comments.dropDraft();
    props.onLeave();
  };
  return (
    <aside className="comments-panel" aria-label={`Comments on ${props.title}`} ref={root} onKeyDown={onKeyDown}>
      <header>
        <h2>{countWords(comments.open)}</h2>
        <button type="button" className="icon-button" aria-label="Close the comments" onClick={leave}>
          <Icon name="close" size={14} />
        </button>
      </header>
      {draft !== null && (
        <NewThread
          key={draft.intent}
          blockId={props.blockId}
          draft={draft}
          comments={comments}
          onDone={props.onLeave}
        />
      )}
      {shown.length === 0 && draft === null && (
        <p className="quiet">Select words in the text to comment on them, or to ask an agent.</p>
      )}
      <ol className="comment-list">
        {shown.map((one) => (
          <ThreadItem
            key={one.thread.id}
            shown={one}
            current={draft === null && one.thread.id === currentId}
            comments={comments}
            onReveal={() => {
              comments.look(one.thread.id);
              props.onReveal(one);
            }}
          />
        ))}
      </ol>
      {comments.open > 0 && (
        <button type="button" className="quiet-button" onClick={comments.copyAll}>
          <Icon name="copy" size={14} /> Copy text with comments
        </button>
      )}
      {resolved > 0 && (
        <button type="button" className="quiet-button" onClick={() => setResolvedToo(!resolvedToo)}>
          {resolvedToo ? "Hide resolved" : `Show ${resolved} resolved`}
        </button>
      )}
    </aside>
  );
}

/** Who opens the comments by key goes to the one that was looked at last, else to the first. */
function useFocusWhenSought(root: RefObject<HTMLElement | null>, sought: boolean): void {
  useEffect(() => {
    if (!sought) return;
    const panel = root.current;
    const found =
      panel?.querySelector<HTMLElement>("[data-thread][data-current=true]") ??
      panel?.querySelector<HTMLElement>("[data-thread]") ??
      panel?.querySelector("button");
    found?.focus();
  }, [root, sought]);
}

/** Enter on a thread goes into its answer; arrow keys go from thread to thread. */
function moveByKey(event: KeyboardEvent, panel: HTMLElement | null): void {
  if (event.key === "Enter" && event.target instanceof HTMLLIElement) {
    event.preventDefault();
    event.target.querySelector("textarea")?.focus();
    return;
  }
  if (event.target instanceof HTMLTextAreaElement) return;
  if (focusThread(panel, { ArrowDown: 1, ArrowUp: -1 }[event.key])) event.preventDefault();
}

/** Moves the focus to the thread after, or before, the one that has it; returns whether there was a step to make. */
function focusThread(panel: HTMLElement | null, by: number | undefined): boolean {
  if (by === undefined) return false;
  const items = [...(panel?.querySelectorAll<HTMLElement>("[data-thread]") ?? [])];
  const at = items.findIndex((item) => item.contains(document.activeElement));
  items[Math.max(0, Math.min(items.length - 1, at + by))]?.focus();
  return true;
}

/** Reports that the list is there, and again when a field opens in it. */
function useShown(report: () => void, isWritten: boolean): void {
  const latest = useRef(report);
  latest.current = report;
  useEffect(() => latest.current(), [isWritten]);
}

function useCurrentInView(root: RefObject<HTMLElement | null>, currentId: ThreadId | null): void {
  useEffect(() => {
    if (currentId === null) return;
    const item = root.current?.querySelector<HTMLElement>(`[data-thread="${CSS.escape(currentId)}"]`);
    item?.scrollIntoView({ block: "nearest" });
  }, [root, currentId]);
}

/** The first comment of a thread, while it is written. */
function NewThread(props: {
  readonly blockId: BlockId;
  readonly draft: CommentDraft;
  readonly comments: Comments;
  readonly onDone: () => void;
}) {
  const { draft, comments } = props;
  const { label, hint } = intents[draft.intent];
  return (
    <div className="comment-thread" data-current="true">
      <p className="comment-quote">{draft.quote === "" ? "The whole document" : draft.quote}</p>
      <WordsForm
        of={props.blockId}
        label={hint}
        button={label}
        focused
        onSend={async (words) => {
          const stored = await comments.add(draft, words);
          if (stored) props.onDone();
          return stored;
        }}
        onCancel={() => {
          comments.dropDraft();
          props.onDone();
        }}
      />
    </div>
  );
}

function ThreadItem(props: {
  readonly shown: ShownThread;
  readonly current: boolean;
  readonly comments: Comments;
  readonly onReveal: () => void;
}) {
  const { shown, current, comments } = props;
  const { thread } = shown;
  const resolved = thread.state === "resolved";
  const note = placeNote(shown);
  const about = aboutWords(shown);
  return (
    <li
      className="comment-thread"
      data-thread={thread.id}
      data-current={current}
      aria-current={current ? "true" : undefined}
      aria-label={`Comment on ${about}`}
      tabIndex={-1}
      onFocus={() => {
        if (!current) comments.look(thread.id);
      }}
    >
      <button type="button" className="comment-quote" title="Show these words in the text" onClick={props.onReveal}>
        {about}
      </button>
      {note !== null && <p className="comment-note">{note}</p>}
      {thread.comments.map(({ seq, actor, text, at, editedAt, deletedAt }) => (
        <div className="comment" key={seq}>
          <p className="comment-by">
            <AuthorMark actor={actor} size={18} /> <strong>{shortName(actor.name)}</strong>{" "}
            <time className="quiet" dateTime={new Date(at).toISOString()}>
              {momentLabel(at, Date.now())}
              {editedAt === undefined ? "" : ", edited"}
            </time>
          </p>
          {deletedAt === undefined ? <Markdown text={text} /> : <p className="quiet">Deleted</p>}
        </div>
      ))}
      {current && (
        <WordsForm of={thread.id} label="Answer" button="Answer" onSend={(words) => comments.reply(thread.id, words)} />
      )}
      <div className="comment-acts">
        {!current && (
          <button type="button" className="quiet-button" onClick={props.onReveal}>
            {unsentWords(thread.id).get() === "" ? "Answer" : "Go on with your answer"}
          </button>
        )}
        <button type="button" className="quiet-button" onClick={() => void comments.resolve(thread.id, !resolved)}>
          <Icon name={resolved ? "again" : "check"} size={14} /> {resolved ? "Reopen" : "Resolve"}
        </button>
        <button
          type="button"
          className="quiet-button"
          title="It goes to the trash"
          onClick={() => void comments.remove(thread.id)}
        >
          Delete
        </button>
      </div>
    </li>
  );
}

/** A field for words. Enter sends, Shift+Enter begins a line; words stay until they are sent or discarded, also out of sight. */
function WordsForm(props: {
  /** What the words belong to: a document for a new comment, a thread for an answer. */
  readonly of: BlockId | ThreadId;
  readonly label: string;
  readonly button: string;
  readonly focused?: boolean;
  readonly onSend: (words: string) => Promise<boolean>;
  readonly onCancel?: () => void;
}) {
  const { text: words, write, forget } = useUnsaved(wordsKey(props.of));
  const [sending, setSending] = useState(false);
  const excess = words.length - commentUnitsMax;
  const unsendable = sending || excess > 0 || words.trim() === "";
  const field = useRef<HTMLTextAreaElement>(null);
  const { focused = false, onCancel } = props;
  useEffect(() => {
    if (focused) field.current?.focus();
  }, [focused]);
  const send = async (event?: FormEvent): Promise<void> => {
    event?.preventDefault();
    if (unsendable) return;
    setSending(true);
    const stored = await props.onSend(words);
    setSending(false);
    if (stored) forget();
  };
  return (
    <form className="comment-form" onSubmit={(event) => void send(event)}>
      <textarea
        ref={field}
        aria-label={props.label}
        placeholder={props.label}
        rows={focused ? 3 : 2}
        value={words}
        readOnly={sending}
        onChange={(event) => write(event.target.value)}
        onKeyDown={(event) => {
          if (event.key !== "Enter" || event.shiftKey || event.nativeEvent.isComposing) return;
          event.preventDefault();
          void send();
        }}
      />
      {excess > 0 && (
        <p className="comment-note" role="alert">
          A comment can have {commentUnitsMax.toLocaleString("en")} characters: this has {excess.toLocaleString("en")}{" "}
          too many. Shorten it, or send it in parts.
        </p>
      )}
      {/* An empty field for an answer already says what it is for. */}
      {(onCancel !== undefined || words.trim() !== "") && (
        <div className="comment-acts">
          <button type="submit" className="button" disabled={unsendable}>
            {props.button}
          </button>
          {onCancel !== undefined && (
            <button type="button" className="quiet-button" onClick={onCancel}>
              Cancel
            </button>
          )}
        </div>
      )}
    </form>
  );
}
