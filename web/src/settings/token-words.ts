import { counted } from "../../../src/core/base/counted.ts";
import type { GrantScope } from "../../../src/core/protocol/base/grant.ts";
import type { Right } from "../../../src/core/rights/token-right.ts";

export const dayMs = 86_400_000;

const words: Readonly<Record<Right, string>> = { read: "reads", write: "writes", run: "runs models", share: "shares" };

/** Returns what a token allows in a few words. */
export function rightWords(rights: readonly Right[]): string {
  return rights.map((right) => words[right]).join(", ");
}

/** Returns what a token reaches in a few words. */
export function scopeWords(scope: { readonly [Kind in keyof GrantScope]: readonly string[] } | null): string {
  if (scope === null) return "everywhere";
  const { folderIds, rootIds, canvasIds } = scope;
  const parts = [
    [folderIds, "folder"],
    [rootIds, "conversation"],
    [canvasIds, "document"],
  ] as const;
  const named = parts.flatMap(([ids, noun]) => (ids.length === 0 ? [] : [counted(ids.length, noun)]));
  return named.length === 0 ? "nothing" : `in ${named.join(" and ")}`;
}

/** Returns until when a token is valid. */
export function untilWords(expiresAt: number | null): string {
  return expiresAt === null ? "until revoked" : `until ${new Date(expiresAt).toISOString().slice(0, 10)}`;
}
