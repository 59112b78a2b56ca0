import { encodeBase64 } from "../../core/base/base64.ts";
import type { Refusal } from "../../core/base/errors.ts";
import type { BlockId } from "../../core/base/ids.ts";
import { isJsonObject, type JsonObject } from "../../core/base/json.ts";
import { must } from "../../core/base/assert.ts";
import { err, ok, type Result } from "../../core/base/result.ts";
import { toWireChange } from "../../core/protocol/base/wire-change.ts";
import { blockSync } from "../../core/tool/block/block-tools.ts";
import type { ToolInput } from "../../core/tool/base/types.ts";
import { blockNotFound } from "../document/block/closed-refusal.ts";
import type { CatchUp } from "../document/record/types.ts";
import type { ToolOutput } from "./answer.ts";
import { isWithin, reachableBlocks } from "./opened-block.ts";
import { runnable, type BlockToolRun, type RunnableTool } from "./runnable.ts";

/** UTF-16 units of an answer after which the rest is left for the next call. */
const answerUnitsMax = 8 * 1024 * 1024;

/** Brings a client's copies up to date; not offered to models. */
export const runnableBlockSync: RunnableTool<BlockToolRun> = runnable(blockSync, sync);

/**
 * Changes and copies have the form of the live protocol's `change` and `block-snapshot`, or are plain text when asked for. A version that the server does
 * not know is answered with a new copy; a deleted block with its last change.
 */
async function sync(input: ToolInput<typeof blockSync>, run: BlockToolRun): Promise<Result<ToolOutput, Refusal>> {
  const known = new Map(input.versions);
  const headers = await reachableBlocks(run);
  const wanted: (readonly [BlockId, number])[] = [];
  for (const { id, version } of headers) {
    const has = known.get(id) ?? 0;
    if (has !== version) wanted.push([id, has]);
    known.delete(id);
  }
  // The remaining ids were deleted, or never existed for this caller.
  wanted.push(...known);
  const asText = input.form === "text";
  const patches: JsonObject[] = [];
  const newBlocks: JsonObject[] = [];
  let units = 0;
  let truncated = false;
  for (const [id, has] of wanted) {
    if (units >= answerUnitsMax) {
      truncated = true;
      break;
    }
    const missing = await run.ports.hub.reader.catchUp(id, has);
    if (!missing.ok) return missing;
    if (missing.value.header.kind !== "file" && !isWithin(id, run)) return err(blockNotFound(id));
    const parts = asText ? await textPartsOf(missing.value, has, run) : wireParts(missing.value);
    units += JSON.stringify(parts).length;
    (missing.value.type === "changes" && (!asText || has > 0) ? patches : newBlocks).push(...parts);
  }
  return ok({ content: { patches, new_blocks: newBlocks, truncated } });
}

/** Converts what a copy is missing to its wire form: changes, or a new block. */
export function wireParts(missing: CatchUp): readonly JsonObject[] {
  switch (missing.type) {
    case "changes":
      return missing.changes.map((change) => plainJson(toWireChange(change)));
    case "snapshot": {
      const { header, document, textHash } = missing;
      return [plainJson({ header, text: encodeBase64(document), hash: textHash })];
    }
  }
}

/**
 * Converts what a copy is missing to text: one part with the block's header and its text, or only the text that was appended
 * when nothing else happened to the text. A deleted block has no text.
 */
export async function textPartsOf(missing: CatchUp, has: number, run: BlockToolRun): Promise<readonly JsonObject[]> {
  const changes = missing.type === "changes" ? missing.changes : [];
  const texts = changes.filter(({ body }) => body.type === "text" || body.type === "created");
  const added = texts.map(({ body }) => (body.type === "text" ? body.appended : undefined));
  const { header } = missing;
  if (header.deletedAt !== undefined) return [plainJson({ header })];
  const grew = has > 0 && missing.type === "changes" && added.every((piece) => piece !== undefined);
  if (grew) return [plainJson({ header, appended: added.join("") })];
  const now = await run.ports.hub.reader.readAt(header.id, header.version);
  return now.ok ? [plainJson({ header, text: now.value.text })] : [plainJson({ header })];
}

/** Returns the object as JSON, without undefined fields. */
export function plainJson(value: object): JsonObject {
  const plain: unknown = JSON.parse(JSON.stringify(value));
  return must(isJsonObject(plain) ? plain : undefined, "an object stays an object in JSON");
}
