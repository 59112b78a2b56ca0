import { stableDeepEqual, type Json, type JsonObject } from "../../../core/base/json.ts";
import type { BlockChange, BlockChangeBody, BlockHeader } from "../../../core/block/types.ts";

/** What a turn set: the value before its first change and after its last one. */
interface NetChange {
  readonly before: Json | undefined;
  readonly after: Json | undefined;
}

/**
 * Returns the changes that take a turn's flags and metadata back, or set them again. A value that somebody has changed
 * since stays. `rows`: the turn's changes of the block, oldest first.
 */
export function headerRevert(
  rows: readonly BlockChange[],
  header: BlockHeader,
  direction: "undoes" | "redoes",
): readonly BlockChangeBody[] {
  const wanted = (net: ReadonlyMap<string, NetChange>, now: JsonObject): JsonObject => {
    const next = new Map(Object.entries(now));
    for (const [name, { before, after }] of net) {
      const [from, to] = direction === "undoes" ? [after, before] : [before, after];
      if (!isSame(next.get(name), from)) continue;
      if (to === undefined) next.delete(name);
      else next.set(name, to);
    }
    return Object.fromEntries(next);
  };
  const { metadata, collapsed, excluded } = header;
  const flags = { collapsed, excluded };
  const nextFlags = wanted(netOf(rows, "flags"), flags);
  const nextMetadata = wanted(netOf(rows, "metadata"), metadata);
  return [
    ...(stableDeepEqual(nextFlags, flags)
      ? []
      : [
          {
            type: "flags",
            collapsed: nextFlags["collapsed"] === true,
            excluded: nextFlags["excluded"] === true,
          } as const,
        ]),
    ...(stableDeepEqual(nextMetadata, metadata) ? [] : [{ type: "metadata", metadata: nextMetadata } as const]),
  ];
}

function netOf(rows: readonly BlockChange[], type: "flags" | "metadata"): ReadonlyMap<string, NetChange> {
  const net = new Map<string, NetChange>();
  for (const { body } of rows) {
    if (body.type !== type || !("previous" in body) || body.previous === undefined) continue;
    const before: JsonObject = { ...body.previous };
    const after: JsonObject =
      body.type === "metadata" ? body.metadata : { collapsed: body.collapsed, excluded: body.excluded };
    for (const name of new Set([...Object.keys(before), ...Object.keys(after)])) {
      if (!net.has(name) && isSame(before[name], after[name])) continue;
      net.set(name, { before: net.has(name) ? net.get(name)?.before : before[name], after: after[name] });
    }
  }
  return net;
}

function isSame(a: Json | undefined, b: Json | undefined): boolean {
  return a === undefined || b === undefined ? a === b : stableDeepEqual(a, b);
}
