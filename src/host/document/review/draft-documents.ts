import type { BlockId, DraftId, HunkId } from "../../../core/base/ids.ts";
import { blockPath } from "../../../core/block/list-blocks.ts";
import { filePartsOf } from "../../../core/block/suggestion/file-part.ts";
import type { HeaderProposal } from "../../../core/block/suggestion/suggestion.ts";
import type { Store } from "../../../core/port/store.ts";
import type { Suggestions } from "./suggestions.ts";

interface Ports {
  readonly store: Pick<Store, "block" | "suggestionsOfDraft">;
  readonly hub: { readonly suggestions: Pick<Suggestions, "drafts"> };
}

/** A document in which a draft has open parts. */
interface DraftDocument {
  readonly canvasId: BlockId;
  /** A canvas's title, or a file's path in the draft. */
  readonly title: string | null;
  readonly does: "edits" | "creates" | "moves" | "deletes";
  /** The path that the draft moves it from. */
  readonly from: string | null;
  readonly hunkIds: HunkId[];
  readonly conflicts: HunkId[];
  readonly linesAdded: number;
  readonly linesRemoved: number;
}

/** Reads the documents in which a draft has open parts, in the order in which it came to them. */
export async function documentsOf({ store, hub }: Ports, draftId: DraftId): Promise<readonly DraftDocument[]> {
  const all = await store.suggestionsOfDraft(draftId);
  const partsById = Map.groupBy(filePartsOf(all, draftId), ({ blockId }) => blockId);
  const found: DraftDocument[] = [];
  for (const canvasId of new Set(all.map((one) => one.canvasId))) {
    const [header, drafts] = [await store.block(canvasId), await hub.suggestions.drafts(canvasId)];
    const read = drafts.ok ? drafts.value.find((draft) => draft.draftId === draftId) : undefined;
    if (header === null || read === undefined) continue;
    const { hunkIds, conflicts, linesAdded, linesRemoved } = read;
    const proposes = partsById.get(canvasId)?.map((part) => part.proposes) ?? [];
    const path = proposes.flatMap((each) => (each.type === "delete" ? [] : (each.path ?? []))).at(-1);
    const { title } = header.metadata;
    const named = path ?? blockPath(header) ?? (typeof title === "string" ? title : null);
    const does = doesOf(proposes);
    const from = does === "moves" ? (blockPath(header) ?? null) : null;
    found.push({ canvasId, title: named, does, from, hunkIds, conflicts, linesAdded, linesRemoved });
  }
  return found;
}

function doesOf(parts: readonly HeaderProposal[]): DraftDocument["does"] {
  if (parts.some(({ type }) => type === "delete")) return "deletes";
  if (parts.some(({ type }) => type === "create")) return "creates";
  return parts.some((part) => part.type === "update" && part.path !== undefined) ? "moves" : "edits";
}
