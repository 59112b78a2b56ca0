import { err, ok } from "../../core/base/result.ts";
import type { Store } from "../../core/port/store.ts";
import { metaKeys } from "../base/meta-keys.ts";
import { notStored } from "../base/store-refusal.ts";
import type { ModelWindows } from "./types.ts";

/** Opens the windows of models that people set, as the store keeps them; leaves out unreadable ones. */
export async function openStoredWindows(store: Store): Promise<ModelWindows> {
  const kept = (await store.meta(metaKeys.modelWindows)) ?? {};
  const known = Object.entries(kept).flatMap(([id, tokens]): readonly [string, number][] =>
    typeof tokens === "number" && Number.isSafeInteger(tokens) && tokens >= 1 ? [[id, tokens]] : [],
  );
  return {
    known: new Map(known),
    async save(windows) {
      const value = Object.fromEntries(windows);
      const stored = await store.commit([{ type: "put-meta", key: metaKeys.modelWindows, value }]);
      return stored.ok ? ok(undefined) : err(notStored(stored.error));
    },
  };
}
