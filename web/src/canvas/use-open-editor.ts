import { type RefObject, useCallback, useEffect, useRef, useState } from "react";
import type { LeaseView, TextReplica } from "../../../src/client/base/types.ts";
import type { Blame } from "../blame/use-blame.ts";
import { useSettings } from "../browser/settings.ts";
import type { WritesElsewhere } from "../editor/agent-place.ts";
import type { ShownSelection } from "../comment/selection-bar.tsx";
import type { Comments } from "../comment/use-comments.ts";
import type { CanvasEditor } from "../editor/editor.ts";
import { useEditor } from "../editor/use-editor.ts";
import type { Review } from "../review/use-review.ts";
import { useApp } from "../ui/app-context.ts";
import type { DocumentPictures } from "../pictures/use-pictures.ts";
import type { CanvasActions } from "./use-canvas-actions.ts";

/** The editor of an open canvas, with blocked typing and edits of agents out of view. */
export interface OpenEditor {
  readonly host: RefObject<HTMLDivElement | null>;
  /** null until the code is loaded. */
  readonly editor: CanvasEditor | null;
  /** When a person last typed in a canvas that an agent holds, in UTC milliseconds; 0 for never. */
  readonly blocked: number;
  /** The place where an agent writes out of view. */
  readonly elsewhere: WritesElsewhere | null;
  /** The selected words, while the text has the focus. */
  readonly selection: ShownSelection | null;
  /** Scrolls to the current suggestion. */
  readonly revealCurrent: () => void;
}

export function useOpenEditor(
  replica: TextReplica,
  world: {
    readonly title: string;
    readonly markdown: boolean;
    readonly path: string | null;
    readonly pictures: DocumentPictures;
    /** Whether the person may type: by their role, and by the lease. */
    readonly writable: boolean;
    readonly held: LeaseView["held"];
    readonly review: Review;
    readonly comments: Comments;
    readonly blame: Blame;
    readonly actions: CanvasActions;
    readonly latest: RefObject<CanvasEditor | null>;
  },
): OpenEditor {
  const { title, markdown, path, pictures, writable, held, review, comments, blame, actions, latest } = world;
  const { authors, blame: blameSetting, view } = useSettings();
  const host = useRef<HTMLDivElement>(null);
  const [blocked, setBlocked] = useState(0);
  const [elsewhere, setElsewhere] = useState<WritesElsewhere | null>(null);
  const [selection, setSelection] = useState<ShownSelection | null>(null);
  const { look, decide, items, currentId } = review;
  const editor = useEditor(
    host,
    replica,
    { title, authors, markdown, path, pictures: pictures.shown, keeper: pictures.keeper },
    {
      undo: actions.undoMine,
      redo: actions.redoMine,
      escape: () => {
        if (held === null) return false;
        actions.takeControl();
        return true;
      },
      blocked: () => setBlocked(Date.now()),
      elsewhere: setElsewhere,
      explain: blame.explain,
      pressed: blame.pressed,
      commented: comments.look,
      moved: comments.follow,
      selected: setSelection,
      review: (act) => {
        if (act.type === "look") return look(act.hunkId);
        if (act.type === "copy") return actions.copy(act.text);
        decide(act.type === "keep" ? "kept" : "rejected", [act.hunkId]);
        latest.current?.focus();
      },
    },
  );
  latest.current = editor;
  useEffect(() => editor?.setWritable(writable), [editor, writable]);
  useEffect(() => editor?.setTitle(title), [editor, title]);
  useEffect(() => editor?.setAuthors(authors), [editor, authors]);
  useEffect(() => editor?.setView(view), [editor, view]);
  useEffect(() => editor?.setBlame(blameSetting === "on"), [editor, blameSetting]);
  useEffect(() => editor?.setReview({ items, currentId }), [editor, items, currentId]);
  useCommentMarks(editor, comments);
  useEffect(() => {
    if (writable) setBlocked(0);
  }, [writable]);
  return { host, editor, blocked, elsewhere, selection, revealCurrent: useReveal(editor, review) };
}

/** Marks the words of open threads in the text. */
function useCommentMarks(editor: CanvasEditor | null, { threads, currentId }: Comments): void {
  useEffect(() => {
    const marked = threads.flatMap(({ thread, place }) => {
      if (thread.state !== "open" || place === null || place.type === "orphan") return [];
      const range = place.type === "range" ? place : { from: place.at, to: place.at };
      return [{ id: thread.id, from: range.from, to: range.to, current: thread.id === currentId }];
    });
    editor?.setComments(marked);
  }, [editor, threads, currentId]);
}

/** Scrolls to a suggestion when it becomes current, and not when its place moves later. */
function useReveal(editor: CanvasEditor | null, { items, currentId }: Review): () => void {
  const latestItems = useRef(items);
  latestItems.current = items;
  const reveal = useCallback(() => {
    const current = latestItems.current.find(({ hunk }) => hunk.id === currentId);
    if (current === undefined) return;
    const { startLine, endLine } = current.placement;
    // An insertion is shown after the previous line, which is closer to its buttons than the next line.
    editor?.revealLine(startLine === endLine ? startLine : startLine + 1);
  }, [editor, currentId]);
  useEffect(() => {
    if (isReviewing()) reveal();
  }, [reveal]);
  return reveal;
}

/** Returns whether the reader is in the review panel. */
function isReviewing(): boolean {
  const focused = document.activeElement;
  return focused !== null && focused.closest(".review") !== null;
}

/** Announces to screen readers who edits, and new suggestions. */
export function useCanvasAnnouncements(canvas: {
  readonly holder: string | null;
  readonly locked: boolean;
  readonly suggested: number;
}): void {
  const { announce } = useApp();
  const { holder, locked, suggested } = canvas;
  useEffect(() => {
    if (holder === null) return;
    announce(
      locked ? `${holder} is editing the canvas. You can type when it ends.` : `${holder} is editing the canvas.`,
    );
  }, [holder, locked, announce]);
  const announcedCount = useRef(0);
  useEffect(() => {
    const more = suggested > announcedCount.current;
    announcedCount.current = suggested;
    if (more) announce(`${suggested} ${suggested === 1 ? "suggestion is" : "suggestions are"} waiting for you.`);
  }, [suggested, announce]);
}
