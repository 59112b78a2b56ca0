import { refusal, type Refusal } from "../../core/base/errors.ts";
import type { BlockId, DocumentId } from "../../core/base/ids.ts";
import { err, ok, type Result } from "../../core/base/result.ts";
import type { BlockHeader } from "../../core/block/types.ts";
import { placeOf } from "../../core/block/live-block.ts";
import { textOf } from "../../core/message/content.ts";
import { wordsOfBlock } from "../../core/message/reply-words.ts";
import type { Message } from "../../core/message/types.ts";
import type { Store } from "../../core/port/store.ts";
import { orderSiblings } from "./record/block-order.ts";
import { missingChanges, missingOfDeleted } from "./block/catch-up.ts";
import type { FileDirectory } from "./block/file-directory.ts";
import type { Lanes } from "./queue/lanes.ts";
import { storedTextVersion } from "./record/log-start.ts";
import { textRefusal, type OpenBlock } from "./block/open-block.ts";
import type { BlockReading, CatchUp } from "./record/types.ts";
import { blockNotFound } from "./block/closed-refusal.ts";

interface ReaderPorts {
  readonly store: Store;
  readonly lanes: Lanes;
  readonly files: FileDirectory;
}

/** Reads blocks: their text now or at a version, the blocks of a document, and the changes that a copy is missing. */
export class BlockReader {
  readonly #ports: ReaderPorts;

  constructor(ports: ReaderPorts) {
    this.#ports = ports;
  }

  /** Reads a block now. A live block whose message is stored has the text of the message, which people may have edited. */
  async read(blockId: BlockId): Promise<Result<BlockReading, Refusal>> {
    const { lanes, store } = this.#ports;
    const now = await lanes.alone(blockId, async (block) => ok(readingOf(block)));
    const place = now.ok ? placeOf(now.value.header) : null;
    if (!now.ok || place === null) return now;
    const text = storedText((await store.node(place.nodeId))?.message, place.block);
    return text === null ? now : ok({ ...now.value, text });
  }

  /** Returns the block's text at one of its versions. */
  readAt(blockId: BlockId, version: number): Promise<Result<BlockReading, Refusal>> {
    const { store, lanes } = this.#ports;
    return lanes.alone(blockId, async (block) => {
      const newest = block.header.version;
      if (!Number.isSafeInteger(version) || version < 1 || version > newest) {
        return err(refusal("VERSION_UNKNOWN", { requested: version, max: newest }));
      }
      const textVersion = block.textVersionAt(version) ?? (await storedTextVersion(store, blockId, version));
      if (textVersion === undefined) return err(refusal("VERSION_UNKNOWN", { requested: version, max: newest }));
      const text = block.document.textAt(textVersion);
      if (!text.ok) return err(textRefusal(text.error));
      return ok({ header: { ...block.header, version }, text: text.value, textVersion });
    });
  }

  /** Returns the headers of a document's blocks in display order; with null, of all files. */
  async list(documentId: DocumentId | null): Promise<readonly BlockHeader[]> {
    if (documentId === null) return this.#ports.files.list();
    // Deleted blocks still determine the place of the blocks created after them.
    const headers = await this.#ports.store.blocks(documentId);
    return orderSiblings(headers).filter((header) => header.deletedAt === undefined);
  }

  /** Runs `work` while the document's queue is held: the reading stays current until `work` is done. */
  hold<Value>(
    blockId: BlockId,
    work: (reading: BlockReading) => Promise<Result<Value, Refusal>>,
  ): Promise<Result<Value, Refusal>> {
    return this.#ports.lanes.alone(blockId, (block) => work(readingOf(block)));
  }

  /** Returns what a copy of a block at a version is missing; for a deleted block, the changes up to its deletion. */
  catchUp(blockId: BlockId, afterVersion: number): Promise<Result<CatchUp, Refusal>> {
    const { store, lanes } = this.#ports;
    const lane = lanes.of(blockId);
    return lane.alone(async () => {
      const block = await lane.settled(blockId);
      if (block !== null) return ok(await missingChanges(store, block, afterVersion));
      const changes = await missingOfDeleted(store, blockId, afterVersion);
      return changes === null ? err(blockNotFound(blockId)) : ok(changes);
    });
  }
}

/** Returns the text of a content block of a stored message; null where the message or the block is gone. */
function storedText(message: Message | undefined, index: number): string | null {
  if (message === undefined) return null;
  if (message.role === "tool") return textOf(message);
  const block = message.content[index];
  if (block === undefined || block.type === "image" || block.type === "file") return null;
  return block.type === "thinking" ? block.text : wordsOfBlock(block);
}

/** Returns the block's current header, text and text version. */
export function readingOf(block: OpenBlock): BlockReading {
  return { header: block.header, text: block.document.text(), textVersion: block.document.version() };
}
