import type { BlockId } from "../../core/base/ids.ts";
import { hunksOfDraft } from "../../core/block/suggestion/draft-hunks.ts";
import type { BlockHeader } from "../../core/block/types.ts";
import { openForTool } from "./opened-block.ts";
import type { BlockToolRun } from "./runnable.ts";

/** Returns the files that a run's draft changes: a search reads them as the draft has them. */
export async function inDraft(
  headers: readonly BlockHeader[],
  { draft, leaseHolder, ports }: BlockToolRun,
): Promise<ReadonlySet<BlockId>> {
  if (draft === undefined || leaseHolder === null) return new Set();
  const files = headers.filter(({ kind, policy }) => kind === "file" && policy === undefined);
  const found = await Promise.all(
    files.map(async ({ id }) => {
      const all = await ports.store.suggestions(id, false);
      const isIn = [draft.id, draft.from].some((of) => of !== undefined && hunksOfDraft(all, of).length > 0);
      return isIn ? [id] : [];
    }),
  );
  return new Set(found.flat());
}

/** Names the text that only this draft has, so that no search keeps it as the file's, or at all. */
export function asSeen({ id }: BlockHeader): { readonly id: string; readonly version: number } {
  return { id: `draft:${id}`, version: 0 };
}

/** Reads a file as the run's draft has it. */
export async function textInDraft(
  id: BlockId,
  run: BlockToolRun,
): Promise<{ readonly version: number; readonly text: string } | null> {
  const opened = await openForTool(id, run, { draft: "read" });
  return opened.ok ? { version: -1, text: opened.value.reading.text } : null;
}
