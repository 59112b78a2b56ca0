import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import type { TextReplica } from "../../../src/client/base/types.ts";
import type { HunkId } from "../../../src/core/base/ids.ts";
import { useApp } from "../ui/app-context.ts";
import { useObservable } from "../ui/use-observable.ts";
import { itemAfter, type ReviewItem, reviewItems } from "./review-items.ts";
import { decidedWords } from "./review-words.ts";

/** Minimum interval between placements of hunks while the text changes; the marks move meanwhile. Milliseconds. */
const findEveryMs = 300;

type Outcome = "kept" | "rejected";

/** The open suggestions of a canvas, the current one, and the decisions. */
export interface Review {
  readonly items: readonly ReviewItem[];
  readonly currentId: HunkId | null;
  /** Whether a decision is being sent. */
  readonly deciding: boolean;
  readonly look: (hunkId: HunkId) => void;
  /** Moves to the next or previous one, wrapping around. */
  step(by: 1 | -1): void;
  /** Decides these hunks; null decides all shown ones that can be decided. */
  readonly decide: (outcome: Outcome, hunkIds: readonly HunkId[] | null) => void;
}

/** Watches a canvas's suggestions and decides about them. */
export function useReview(replica: TextReplica): Review {
  const { client, tell, announce } = useApp();
  const suggestions = useObservable(replica.suggestions);
  const any = suggestions.length > 0;
  const [textCount, setTextCount] = useState(0);
  useEffect(() => {
    if (!any) return undefined;
    let timer: ReturnType<typeof setTimeout> | null = null;
    const stop = replica.onChange(() => {
      timer ??= setTimeout(() => {
        timer = null;
        setTextCount((count) => count + 1);
      }, findEveryMs);
    });
    return () => {
      stop();
      if (timer !== null) clearTimeout(timer);
    };
  }, [replica, any]);
  const items = useMemo(() => {
    // A counter, so that places are computed again when the text changes.
    void textCount;
    if (suggestions.length === 0) return noItems;
    return reviewItems(suggestions, { text: replica.text(), blame: replica.blame(0, replica.length) });
  }, [replica, suggestions, textCount]);

  const [currentId, setCurrentId] = useState<HunkId | null>(null);
  // Until the reader steps through them, the first one is current, also when it arrived later.
  const entered = useRef(false);
  const before = useRef(items);
  useEffect(() => {
    if (items.length === 0) entered.current = false;
    const next = itemAfter(before.current, items, entered.current ? currentId : null);
    before.current = items;
    if (next !== currentId) setCurrentId(next);
  }, [items, currentId]);

  const look = useCallback((hunkId: HunkId) => {
    entered.current = true;
    setCurrentId(hunkId);
  }, []);
  const step = useCallback(
    (by: 1 | -1) => {
      const at = items.findIndex(({ hunk }) => hunk.id === currentId);
      const next = items[(at + by + items.length) % items.length];
      if (next !== undefined) look(next.hunk.id);
    },
    [items, currentId, look],
  );
  const [deciding, setDeciding] = useState(false);
  const busy = useRef(false);
  const decide = useCallback(
    (outcome: Outcome, hunkIds: readonly HunkId[] | null) => {
      if (busy.current) return;
      busy.current = true;
      entered.current = true;
      setDeciding(true);
      // Names all hunks, so that hunks arriving meanwhile are not decided unseen.
      const params = {
        canvasId: replica.blockId,
        hunkIds: hunkIds ?? items.map(({ hunk }) => hunk.id),
        asFarAsPossible: hunkIds === null,
      };
      void client.call(outcome === "kept" ? "canvas.keep-hunks" : "canvas.reject-hunks", params).then((result) => {
        busy.current = false;
        setDeciding(false);
        if (!result.ok) return tell(result.error);
        const decided = new Set(result.value.hunkIds);
        const left = items.filter(({ hunk }) => !decided.has(hunk.id)).length;
        announce(decidedWords(outcome, decided.size, left));
      });
    },
    [client, replica, items, tell, announce],
  );
  return { items, currentId, deciding, look, step, decide };
}

const noItems: readonly ReviewItem[] = [];
