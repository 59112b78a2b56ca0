import { reasonOf } from "../../core/base/reason.ts";
import type { Logger, Platform } from "../../core/port/platform.ts";
import type { Store } from "../../core/port/store.ts";
import { metaKeys } from "../base/meta-keys.ts";
import { newBootId } from "../workspace/workspace.ts";

type MetaStore = Pick<Store, "meta" | "commit">;

/** How a node came to its right to write. */
interface TakenRight {
  readonly epoch: number;
  /** Whether this process saw the owner right before live. */
  readonly follows: boolean;
}

/**
 * Returns what clients know this server by: the same as under the owner before, whom this process saw live, so that they go on
 * from where they are. Every other start may have found a restored database, and then they must read everything again.
 */
export async function bootIdOf(store: MetaStore, platform: Platform, { epoch, follows }: TakenRight): Promise<string> {
  const left = follows ? await store.meta(metaKeys.boot) : null;
  const known = left?.["epoch"] === epoch - 1 ? left["bootId"] : null;
  const bootId = typeof known === "string" ? known : newBootId(platform);
  // Where it is not written, the next owner begins anew: nobody waits for it.
  void keep(store, platform.logger, { bootId, epoch });
  return bootId;
}

async function keep(store: MetaStore, logger: Logger, value: { readonly bootId: string; readonly epoch: number }) {
  try {
    const kept = await store.commit([{ type: "put-meta", key: metaKeys.boot, value }]);
    if (!kept.ok) logger.warn("boot-not-kept", { reason: kept.error.code });
  } catch (problem) {
    logger.warn("boot-not-kept", { reason: reasonOf(problem) });
  }
}
