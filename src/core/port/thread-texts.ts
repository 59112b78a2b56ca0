import type { BlockId } from "../base/ids.ts";
import type { JsonObject } from "../base/json.ts";

/**
 * A module with which a thread reads a store's indexed texts by itself, so that they do not pass through the main thread.
 * Its export `openTexts` takes `data`, which can be sent to a thread, and returns `ThreadTexts`.
 */
export interface TextModule {
  readonly url: string;
  readonly data: JsonObject;
}

/** What such a module opens in a thread. */
export interface ThreadTexts {
  /** The text of each block, in order; null for one that is not indexed at exactly that version. Sees every commit that has resolved. */
  read(asked: readonly TextAt[]): readonly (string | null)[];
}

export interface TextAt {
  readonly id: BlockId;
  readonly version: number;
}
