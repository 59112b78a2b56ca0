import type { BlockId } from "../../core/base/ids.ts";
import { refusal, type Refusal } from "../../core/base/errors.ts";
import type { Reach } from "../access/reach.ts";
import { blockNotFound } from "../document/block/closed-refusal.ts";
import { notSharedOr } from "./not-shared-here.ts";
import type { ToolRun } from "./runnable.ts";

/** Returns why a call may not do this to a document: of what it may not know there is none. `reach`: what it may do it to. */
export async function whyNotDocument(id: BlockId, reach: Reach | null, run: ToolRun): Promise<Refusal | null> {
  const known = run.context.reach ?? null;
  if (known === null) return null;
  const header = await run.ports.store.block(id);
  if (header === null) return blockNotFound(id);
  if (!known.document(header)) return notSharedOr(blockNotFound(id), { document: header }, known);
  if (reach === null || reach.document(header)) return null;
  const message =
    "Nothing was done: not everyone for whom you work here may do this to the document. Ask a person who may.";
  return refusal("FORBIDDEN", { block_id: id }, message);
}
