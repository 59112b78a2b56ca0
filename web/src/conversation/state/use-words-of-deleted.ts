import { useEffect } from "react";
import type { RootId } from "../../../../src/core/base/ids.ts";
import { useApp } from "../../ui/app-context.ts";
import type { Draft } from "../kept/draft.ts";
import { inParagraphs, keptView, takeUnsent } from "../kept/kept-view.ts";

/** Puts what was being written in a conversation that is gone into the one that is shown in its place. */
export function useWordsOfDeleted(rootId: RootId | null, isGone: boolean, draft: Draft): void {
  const { tell } = useApp();
  useEffect(() => {
    if (!isGone || rootId === null) return;
    const gone = keptView(rootId);
    takeUnsent(gone);
    const words = inParagraphs(gone.pasted.get(), gone.draft.get());
    if (words === "") return;
    gone.pasted.clear();
    gone.draft.clear();
    draft.putBack([words]);
    tell(
      "The conversation that you were writing in was deleted. Your unsent message is in the message field of this one.",
    );
  }, [rootId, isGone, draft, tell]);
}
