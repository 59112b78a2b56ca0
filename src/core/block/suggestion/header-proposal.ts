import { unreachable } from "../../base/assert.ts";
import { planHeaderUpdate, type HeaderWish } from "../header-update.ts";
import { stableDeepEqual, type JsonObject } from "../../base/json.ts";
import type { Refusal } from "../../base/errors.ts";
import type { HunkId } from "../../base/ids.ts";
import { ok, type Result } from "../../base/result.ts";
import type { BlockChangeBody, BlockHeader } from "../types.ts";
import type { HeaderProposal, SuggestedHunk, Suggestion } from "./suggestion.ts";

/** Makes the hunk of a proposal: it has no lines. */
export function proposalHunk(id: HunkId, proposes: HeaderProposal): SuggestedHunk {
  return { ...noLines, id, state: "open", proposes };
}

const noLines = {
  startLine: 0,
  endLine: 0,
  oldText: "",
  newText: "",
  contextBefore: "",
  contextAfter: "",
  anchor: { own: [], before: null, after: null },
} as const;

/** Whether a hunk is about the canvas itself, not about lines of its text. */
export function isProposal(hunk: SuggestedHunk): boolean {
  return hunk.proposes !== undefined;
}

/** Returns an agent's own open hunks that propose the same kind of change, and the proposal that takes their place. */
export function mergedProposal(
  own: readonly Suggestion[],
  proposes: HeaderProposal,
): { readonly replaced: readonly HunkId[]; readonly proposes: HeaderProposal; readonly isKnown: boolean } {
  const open = own.flatMap(({ hunks }) =>
    hunks.filter(({ state, proposes: known }) => state === "open" && known?.type === proposes.type),
  );
  const known = open.at(-1)?.proposes;
  const merged: HeaderProposal =
    proposes.type === "update" && known?.type === "update"
      ? { ...known, ...proposes, ...joined(known.metadata, proposes.metadata) }
      : proposes;
  const isKnown = open.length === 1 && known !== undefined && isSame(known, merged);
  return { replaced: open.map(({ id }) => id), proposes: merged, isKnown };
}

function joined(known: JsonObject | undefined, next: JsonObject | undefined): { readonly metadata?: JsonObject } {
  return known === undefined && next === undefined ? {} : { metadata: { ...known, ...next } };
}

function isSame(a: HeaderProposal, b: HeaderProposal): boolean {
  return stableDeepEqual({ ...a }, { ...b });
}

/** Returns the changes that keep a proposal; none when the canvas is so already. */
export function planProposal(
  header: BlockHeader,
  proposes: HeaderProposal,
): Result<readonly BlockChangeBody[], Refusal> {
  switch (proposes.type) {
    case "delete":
      return ok([{ type: "deleted" }]);
    case "create": {
      if (header.deletedAt === undefined) return ok([]);
      const { inDraft: _, ...metadata } = header.metadata;
      return ok([{ type: "restored" }, { type: "metadata", metadata: { ...metadata, path: proposes.path } }]);
    }
    case "update": {
      const wish: HeaderWish = proposes;
      return planHeaderUpdate(header, wish);
    }
    default:
      return unreachable(proposes);
  }
}
