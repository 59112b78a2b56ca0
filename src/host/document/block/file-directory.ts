import { must } from "../../../core/base/assert.ts";
import type { BlockId } from "../../../core/base/ids.ts";
import type { BlockHeader } from "../../../core/block/types.ts";
import type { Store } from "../../../core/port/store.ts";
import { orderSiblings } from "../record/block-order.ts";

/**
 * The headers of all file blocks in display order. They are read from the store once and updated by every commit, so that
 * listing a large workspace is cheap.
 */
export class FileDirectory {
  readonly #store: Pick<Store, "blocks">;
  /** Oldest first, including deleted blocks: they still determine the place of the blocks created after them. */
  #byId: Map<BlockId, BlockHeader> | null = null;
  #reading: Promise<Map<BlockId, BlockHeader>> | null = null;
  /** The headers committed while the store was being read. */
  readonly #meanwhile: BlockHeader[] = [];
  #order: readonly BlockId[] | null = null;
  #listed: readonly BlockHeader[] | null = null;

  constructor(store: Pick<Store, "blocks">) {
    this.#store = store;
  }

  async list(): Promise<readonly BlockHeader[]> {
    const byId = this.#byId ?? (await this.#read());
    this.#order ??= orderSiblings([...byId.values()])
      .filter((header) => header.deletedAt === undefined)
      .map((header) => header.id);
    this.#listed ??= this.#order.map((id) => must(byId.get(id), "every ordered file has a header"));
    return this.#listed;
  }

  /** Records the header of a file block after a commit. */
  committed(header: BlockHeader): void {
    if (this.#byId !== null) this.#take(this.#byId, header);
    else if (this.#reading !== null) this.#meanwhile.push(header);
  }

  #read(): Promise<Map<BlockId, BlockHeader>> {
    this.#reading ??= this.#readStore().finally(() => {
      this.#reading = null;
    });
    return this.#reading;
  }

  async #readStore(): Promise<Map<BlockId, BlockHeader>> {
    const byId = new Map<BlockId, BlockHeader>();
    this.#meanwhile.length = 0;
    for (const header of await this.#store.blocks(null)) byId.set(header.id, header);
    for (const header of this.#meanwhile) this.#take(byId, header);
    this.#byId = byId;
    return byId;
  }

  #take(byId: Map<BlockId, BlockHeader>, header: BlockHeader): void {
    const known = byId.get(header.id);
    if (known !== undefined && known.version >= header.version) return;
    byId.set(header.id, header);
    this.#listed = null;
    const stays =
      known !== undefined &&
      known.deletedAt === header.deletedAt &&
      known.metadata["after"] === header.metadata["after"];
    if (!stays) this.#order = null;
  }
}
