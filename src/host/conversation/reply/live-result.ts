import type { BlockId } from "../../../core/base/ids.ts";
import type { ToolMessage } from "../../../core/message/types.ts";
import type { LiveBlocks, LiveBlockSeed } from "../base/ports.ts";

/** Limit of the shown output of a running tool. UTF-16 units. */
export const progressUnitsMax = 100_000;

const cutOff = "\n[More output is not shown while the tool runs. The result follows.]\n";

/** What a live result needs besides its seed. */
interface LiveResultPorts {
  readonly blocks: LiveBlocks;
  /** Called once the block exists. */
  readonly onBlock: (id: BlockId) => void;
  /** Called when the block could not be opened or written; the tool continues. */
  readonly onLost: (problem: unknown) => void;
}

/**
 * The live block of one tool call: the tool's output while it runs or, if it has none, its result. Never both: a result
 * repeats the output, and people read it in the message that replaces the block.
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

  /** Shows the tool's output so far, up to a limit. */
  progress(text: string): void {
    if (text === "" || this.#units > progressUnitsMax) return;
    const left = progressUnitsMax - this.#units;
    this.#units += text.length;
    const shown = text.length <= left ? text : text.slice(0, left).toWellFormed() + cutOff;
    if (this.#id === null) this.#waiting += shown;
    else this.#append(this.#id, shown);
  }

  /** Ends the block with the tool's answer. Resolves when the block contains everything that is shown. */
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
