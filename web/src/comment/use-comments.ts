import { useCallback, useEffect, useMemo, useState } from "react";
import type { TextReplica } from "../../../src/client/base/types.ts";
import type { ThreadId } from "../../../src/core/base/ids.ts";
import type { OpSpan } from "../../../src/core/text/types.ts";
import type { CallParams } from "../../../src/core/protocol/commands.ts";
import { useApp } from "../ui/app-context.ts";
import { useKeptOpen } from "../ui/kept/use-kept-open.ts";
import { useObservable } from "../ui/use-observable.ts";
import type { MovedWords } from "./cut-words.ts";
import { inTextOrder, sentWords, type ShownThread } from "./comment-words.ts";
import { begunComment, type CommentDraft, forgetComment, unsentDraft } from "./unsent-comment.ts";

/** Delay after the last change before places are found again; the marks move meanwhile. Milliseconds. */
const restMs = 150;
/** Runs of units that name one range. */
const spansMax = 512;

/** The comments on a document. */
export interface Comments {
  /** In the order of the text. */
  readonly threads: readonly ShownThread[];
  readonly open: number;
  readonly currentId: ThreadId | null;
  readonly draft: CommentDraft | null;
  readonly listed: boolean;
  /** `seek`: the focus goes to the comments too. */
  readonly show: (listed: boolean, seek?: boolean) => void;
  /** Whether the comments that are listed were asked for by key. */
  readonly sought: boolean;
  readonly look: (id: ThreadId | null) => void;
  readonly begin: (draft: CommentDraft) => void;
  /** Discards the comment that was begun. */
  readonly dropDraft: () => void;
  /** Returns whether the words were stored. */
  readonly add: (draft: CommentDraft, words: string) => Promise<boolean>;
  readonly reply: (id: ThreadId, words: string) => Promise<boolean>;
  readonly resolve: (id: ThreadId, resolved: boolean) => Promise<boolean>;
  readonly remove: (id: ThreadId) => Promise<boolean>;
  /** Words that were cut are pasted in this document: their threads go with them. */
  readonly follow: (words: MovedWords) => void;
  /** Copies the whole text as Markdown, with its open comments as footnotes. */
  readonly copyAll: () => void;
}

/** Watches a document's threads and writes to them. */
export function useComments(replica: TextReplica): Comments {
  const { blockId } = replica;
  const placed = usePlacedThreads(replica);
  const [currentId, setCurrentId] = useState<ThreadId | null>(null);
  const [draft, setDraft] = useState(() => begunComment(blockId));
  // Words that were written and not sent are in sight again.
  const [listed, setListed] = useKeptOpen(`comments ${blockId}`, draft !== null);
  const [sought, setSought] = useState(false);
  const acts = useThreadActs(replica, setCurrentId, setDraft);
  const look = useCallback(
    (id: ThreadId | null) => {
      setCurrentId(id);
      if (id !== null) setListed(true);
    },
    [setListed],
  );
  const begin = useCallback(
    (next: CommentDraft) => {
      unsentDraft(blockId).set(next);
      setDraft(next);
      setListed(true);
    },
    [blockId, setListed],
  );
  const show = useCallback(
    (shown: boolean, seek = false) => {
      setListed(shown);
      setSought(shown && seek);
      setDraft(shown ? begunComment(blockId) : null);
    },
    [blockId, setListed],
  );
  const dropDraft = useCallback(() => {
    forgetComment(blockId);
    setDraft(null);
  }, [blockId]);
  const open = placed.filter(({ thread }) => thread.state === "open").length;
  return { threads: placed, open, currentId, draft, listed, sought, show, look, begin, dropDraft, ...acts };
}

function usePlacedThreads(replica: TextReplica): readonly ShownThread[] {
  const threads = useObservable(replica.threads);
  const any = threads.length > 0;
  const [textCount, setTextCount] = useState(0);
  useEffect(() => {
    if (!any) return undefined;
    let timer: ReturnType<typeof setTimeout> | null = null;
    const stop = replica.onChange(() => {
      if (timer !== null) clearTimeout(timer);
      timer = setTimeout(() => setTextCount((count) => count + 1), restMs);
    });
    return () => {
      stop();
      if (timer !== null) clearTimeout(timer);
    };
  }, [replica, any]);
  return useMemo(() => {
    // A counter, so that places are found again when the text changes.
    void textCount;
    const places = replica.placesOf(threads);
    return inTextOrder(threads.map((thread, index) => ({ thread, place: places[index] ?? null })));
  }, [replica, threads, textCount]);
}

type ThreadActs = Pick<Comments, "add" | "reply" | "resolve" | "remove" | "follow" | "copyAll">;

function useThreadActs(
  replica: TextReplica,
  setCurrentId: (id: ThreadId | null) => void,
  setDraft: (draft: CommentDraft | null) => void,
): ThreadActs {
  const { client, tell, announce } = useApp();
  return useMemo((): ThreadActs => {
    type Name = "comment.reply" | "comment.resolve" | "comment.reopen" | "comment.delete";
    const call = async <Called extends Name>(name: Called, params: CallParams<Called>, done: string) => {
      const result = await client.call(name, params);
      if (result.ok) announce(done);
      else tell(result.error);
      return result.ok;
    };
    return {
      async add({ intent, units, quote }, words) {
        // The server must know the words before it can say where they are.
        await confirmed(replica);
        const text = sentWords(intent, words);
        const range = units.length === 0 ? {} : { range: { units: fewer(units) } };
        const result = await client.call("comment.add", { blockId: replica.blockId, text, ...range });
        if (!result.ok) {
          tell(result.error);
          return false;
        }
        announce(intent === "comment" ? `Your comment on “${quote.slice(0, 60)}” is stored.` : "The agent was asked.");
        forgetComment(replica.blockId);
        setDraft(null);
        setCurrentId(result.value.thread.id);
        return true;
      },
      reply: (id, words) => call("comment.reply", { threadId: id, text: words.trim() }, "Your answer is stored."),
      resolve: (id, resolved) =>
        resolved
          ? call("comment.resolve", { threadId: id }, "The comment is resolved.")
          : call("comment.reopen", { threadId: id }, "The comment is open again."),
      follow({ from, units }) {
        const params = { blockId: replica.blockId, from: { ...from, units: [...from.units] }, units: [...units] };
        void client.call("comment.paste", params).then((result) => {
          const count = result.ok ? result.value.threads.length : 0;
          if (count > 0) announce(count === 1 ? "Its comment moved too." : `Its ${count} comments moved too.`);
          // Who may not comment leaves the comments where the words were; they are listed there.
          if (!result.ok && result.error.code !== "FORBIDDEN") tell(result.error);
        });
      },
      copyAll() {
        const exported = client.call("comment.export", { blockId: replica.blockId, comments: "footnotes" });
        void exported.then(async (result) => {
          if (!result.ok) return tell(result.error);
          await navigator.clipboard.writeText(result.value.text).then(
            () => tell("The text is copied as Markdown, with its comments as footnotes."),
            () => tell("The browser did not allow copying. Select the text and copy it yourself."),
          );
        });
      },
      async remove(id) {
        const result = await client.call("comment.delete", { threadId: id });
        if (!result.ok) {
          tell(result.error);
          return false;
        }
        const { entry } = result.value;
        tell("The comment is in the trash.", {
          label: "Undo",
          about: entry.id,
          run: () => void client.call("trash.restore", { trashId: entry.id }),
        });
        return true;
      },
    };
  }, [client, replica, tell, announce, setCurrentId, setDraft]);
}

/** Resolves when the server has confirmed all edits of this page. */
function confirmed(replica: TextReplica): Promise<void> {
  if (replica.unconfirmed.get() === 0) return Promise.resolve();
  return new Promise((resolve) => {
    const stop = replica.unconfirmed.subscribe(() => {
      if (replica.unconfirmed.get() > 0) return;
      stop();
      resolve();
    });
  });
}

function fewer(units: readonly OpSpan[]): OpSpan[] {
  return units.length <= spansMax ? [...units] : [...units.slice(0, spansMax / 2), ...units.slice(-spansMax / 2)];
}
