import { readFile } from "node:fs/promises";
import { serverLimits } from "./server-limits.ts";

/**
 * Files that are read once and served from memory, so that requests for them open nothing and share their bytes. What was
 * used longest ago goes when there are too many bytes.
 */
export class KeptFiles {
  readonly #bytesByFile = new Map<string, Promise<Buffer>>();
  #keptBytes = 0;

  async read(file: string): Promise<Buffer> {
    const known = this.#bytesByFile.get(file);
    if (known !== undefined) return known;
    const reading = readFile(file);
    this.#bytesByFile.set(file, reading);
    try {
      const bytes = await reading;
      this.#keptBytes += bytes.length;
      await this.#dropOldest();
      return bytes;
    } catch (problem) {
      this.#bytesByFile.delete(file);
      throw problem;
    }
  }

  async #dropOldest(): Promise<void> {
    for (const [file, bytes] of this.#bytesByFile) {
      if (this.#keptBytes <= serverLimits.appBytesMax) return;
      this.#bytesByFile.delete(file);
      this.#keptBytes -= (await bytes).length;
    }
  }
}
