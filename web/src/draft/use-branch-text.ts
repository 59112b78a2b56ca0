import { useEffect, useRef, useState } from "react";
import type { BlockId, DraftId } from "../../../src/core/base/ids.ts";
import type { ForestNode } from "../../../src/core/forest/types.ts";
import { useApp } from "../ui/app-context.ts";
import { countOf } from "../view/branches/hidden.ts";
import { textOfBranch, type TextOfBranch } from "./branch-text.ts";

/** How the document differs from what it was on the shown branch. */
export interface BranchText extends TextOfBranch {
  readonly added: number;
  readonly removed: number;
}

/** Looks up how the shown branch left the document, in its draft too; null where the document is as it was there. */
export function useBranchText(canvasId: BlockId, path: readonly ForestNode[]): BranchText | null {
  const { client } = useApp();
  // The path's end decides: what is above it does not change under it.
  const shown = useRef(path);
  shown.current = path;
  const tipId = path.at(-1)?.id ?? null;
  const [found, setFound] = useState<{ readonly tipId: string | null; readonly text: BranchText | null } | null>(null);
  useEffect(() => {
    let stale = false;
    const look = async (): Promise<void> => {
      const nodes = shown.current;
      const draftId = nodes.findLast(({ draft }) => draft !== undefined)?.draft;
      const list = (of: { readonly draftId?: DraftId }) =>
        client.call("canvas.revisions", { canvasId, limit: 100, ...of });
      const [listed, ofDraft] = await Promise.all([
        tipId === null ? null : list({}),
        draftId === undefined ? null : list({ draftId }),
      ]);
      if (stale) return;
      const ids = nodes.map(({ id }) => id);
      const drafted = ofDraft?.ok === true ? ofDraft.value.revisions : [];
      const then = listed?.ok === true ? textOfBranch(listed.value.revisions, ids, drafted) : null;
      if (then === null) return setFound({ tipId, text: null });
      const from = then.revision.revisionId;
      const compared = await client.call("canvas.compare", { canvasId, from, to: null });
      if (stale) return;
      const isSame = !compared.ok || compared.value.diff === "";
      setFound({ tipId, text: isSame ? null : { ...then, ...countOf(compared.value.diff) } });
    };
    void look();
    return () => {
      stale = true;
    };
  }, [client, canvasId, tipId]);
  return found !== null && found.tipId === tipId ? found.text : null;
}
