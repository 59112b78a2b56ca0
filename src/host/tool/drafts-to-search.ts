import type { BlockId } from "../../core/base/ids.ts";
import type { BlockHeader } from "../../core/block/types.ts";
import { draftPlaces } from "./draft-places.ts";
import { openForTool, reachableBlocks } from "./opened-block.ts";
import type { BlockToolRun } from "./runnable.ts";

interface SeenBlocks {
  readonly headers: readonly BlockHeader[];
  /** The files whose text is read as the draft has it. */
  readonly laidOver: ReadonlySet<BlockId>;
}

/** Returns every block that the caller can reach, files as a run's draft has them: at their paths in it, and those it made. */
export async function seenBlocks(run: BlockToolRun): Promise<SeenBlocks> {
  const { seen, made, changed } = await draftPlaces(run);
  const headers = [...made, ...(await reachableBlocks(run)).flatMap((header) => seen(header) ?? [])];
  const files = headers.filter(({ id, kind, policy }) => kind === "file" && policy === undefined && changed.has(id));
  return { headers, laidOver: new Set(files.map(({ id }) => id)) };
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
