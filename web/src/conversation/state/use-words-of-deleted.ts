import { useEffect } from "react";
import type { RootId } from "../../../../src/core/base/ids.ts";
import { useApp } from "../../ui/app-context.ts";
import type { Draft } from "../kept/draft.ts";
import { inParagraphs, keptView, takeUnsent } from "../kept/kept-view.ts";

/** Moves the unsent words of a deleted conversation to the one shown instead. */
export function useWordsOfDeleted(rootId: RootId | null, isGone: boolean, draft: Draft): void {
  const { tell } = useApp();
  useEffect(() => {
    if (!isGone || rootId === null) return;
    const deleted = keptView(rootId);
    takeUnsent(deleted);
    const words = inParagraphs(deleted.pasted.get(), deleted.draft.get());
    if (words === "") return;
    deleted.pasted.clear();
    deleted.draft.clear();
    draft.putBack([words]);
    tell(
      "The conversation that you were writing in was deleted. Your unsent message is in the message field of this one.",
    );
  }, [rootId, isGone, draft, tell]);
}
