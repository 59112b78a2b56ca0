import type { BlockId } from "../../../core/base/ids.ts";
import type { ToolMessage } from "../../../core/message/types.ts";
import type { LiveBlocks, LiveBlockSeed } from "../base/ports.ts";

/** How much of what a tool tells while it runs is shown. UTF-16 units. */
export const progressUnitsMax = 100_000;

const cutOff = "\n[More came than is shown while the tool runs; its result follows.]\n";

/** What a live result needs beside its seed. */
interface LiveResultPorts {
  readonly blocks: LiveBlocks;
  /** Called once the block stands. */
  readonly onBlock: (id: BlockId) => void;
  /** The block could not be opened or written; the tool itself goes on. */
  readonly onLost: (problem: unknown) => void;
}

/**
 * The live block of one tool's result: what the tool tells while it runs, or, where it tells nothing, the result when it
 * comes. Never both: a result repeats what was told, and people read it in the message that takes the block's place.
 */
export class LiveResult {
  readonly #ports: LiveResultPorts;
  readonly #opened: Promise<BlockId | null>;
  #id: BlockId | null = null;
  #waiting = "";
  #units = 0;

  constructor(seed: LiveBlockSeed, ports: LiveResultPorts) {
    this.#ports = ports;
    this.#opened = this.#open(seed);
  }

  /** Shows what the tool tells now, up to a bound. */
  progress(text: string): void {
    if (text === "" || this.#units > progressUnitsMax) return;
    const left = progressUnitsMax - this.#units;
    this.#units += text.length;
    const shown = text.length <= left ? text : text.slice(0, left).toWellFormed() + cutOff;
    if (this.#id === null) this.#waiting += shown;
    else this.#append(this.#id, shown);
  }

  /** The tool has answered. Resolves when the block stands with all that is shown of it. */
  async finish({ content }: ToolMessage): Promise<void> {
    const id = await this.#opened;
    if (id === null || this.#units > 0) return;
    for (const block of content) if (block.type === "text") this.#append(id, block.text);
  }

  async #open(seed: LiveBlockSeed): Promise<BlockId | null> {
    const { blocks, onBlock, onLost } = this.#ports;
    try {
      const id = await blocks.open(seed);
      onBlock(id);
      this.#id = id;
      if (this.#waiting !== "") this.#append(id, this.#waiting);
      this.#waiting = "";
      return id;
    } catch (problem) {
      onLost(problem);
      return null;
    }
  }

  #append(id: BlockId, text: string): void {
    try {
      this.#ports.blocks.append(id, text);
    } catch (problem) {
      this.#ports.onLost(problem);
    }
  }
}
