import { useCallback, useEffect, useMemo, useRef, useState } from "react";
import type { TextReplica } from "../../../src/client/types.ts";
import type { HunkId } from "../../../src/core/base/ids.ts";
import { useApp } from "../ui/app-context.ts";
import { useObservable } from "../ui/use-observable.ts";
import { itemAfter, type ReviewItem, reviewItems } from "./review-items.ts";
import { decidedWords } from "./review-words.ts";

/** How often at most the places of hunks are found again while the text changes; the marks move along meanwhile. Milliseconds. */
const findEveryMs = 300;

type Outcome = "kept" | "rejected";

/** The open suggestions of a canvas, the one that is looked at, and what can be decided. */
export interface Review {
  readonly items: readonly ReviewItem[];
  readonly currentId: HunkId | null;
  /** A decision is on its way. */
  readonly deciding: boolean;
  readonly look: (hunkId: HunkId) => void;
  /** Looks at the next one, or the one before; round at the ends. */
  step(by: 1 | -1): void;
  /** These hunks; null for all of those that are shown, as far as they can be decided so. */
  readonly decide: (outcome: Outcome, hunkIds: readonly HunkId[] | null) => void;
}

/** Follows what is suggested for a canvas, and decides about it. */
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
    // Counted, so that the places are found anew when the text is another.
    void textCount;
    if (suggestions.length === 0) return noItems;
    return reviewItems(suggestions, { text: replica.text(), blame: replica.blame(0, replica.length) });
  }, [replica, suggestions, textCount]);

  const [currentId, setCurrentId] = useState<HunkId | null>(null);
  // Until somebody goes through them the first is looked at, also where it came later than others.
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
      // Named also where they are all: what comes while the person presses is none of their decision.
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
