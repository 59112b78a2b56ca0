import type { BlockId } from "../../core/base/ids.ts";
import { reasonOf } from "../../core/base/reason.ts";
import type { Platform } from "../../core/port/platform.ts";
import type { DocumentHub } from "../document/hub.ts";
import type { FileBlock } from "./file-block.ts";

/** How long a file may be neither opened nor changed before its block is evicted, and how often that is checked. */
const unusedMs = 30 * 24 * 60 * 60 * 1000;
const evictEveryMs = 6 * 60 * 60 * 1000;

interface EvictionPorts {
  readonly hub: Pick<DocumentHub, "reader">;
  readonly platform: Pick<Platform, "clock" | "logger">;
  /** Returns the file of a block; null for a block without one. */
  fileOf(id: BlockId): FileBlock | null;
}

/**
 * Evicts the blocks of files that nobody has used for long and whose text is whole on disk, now and then. Returns how to
 * stop.
 */
export function evictRegularly(ports: EvictionPorts): () => void {
  const { clock, logger } = ports.platform;
  let stopped = false;
  let cancel = (): void => {};
  const later = (): void => {
    cancel = clock.setTimer(evictEveryMs, () => {
      evict(ports, () => stopped).catch((bug: unknown) => logger.error("files-not-let-go", { reason: reasonOf(bug) }));
      later();
    });
  };
  later();
  return () => {
    stopped = true;
    cancel();
  };
}

async function evict(ports: EvictionPorts, isStopped: () => boolean): Promise<void> {
  const { hub, platform } = ports;
  const since = platform.clock.now() - unusedMs;
  for (const header of await hub.reader.list(null)) {
    const file = ports.fileOf(header.id);
    if (file === null || isStopped() || !file.isUnused(header, since)) continue;
    const evicted = await file.evict(since);
    if (!evicted.ok) platform.logger.info("file-kept", { path: file.path, code: evicted.error.code });
  }
}
