import { readFile } from "node:fs/promises";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { serverLimits } from "./server-limits.ts";

/**
 * Files that are read once and served from memory, so that requests for them open nothing and share their bytes. What was
 * used longest ago goes when there are too many bytes.
 */
export class KeptFiles {
  readonly #bytesByFile = new Map<string, Promise<Buffer>>();
  #keptBytes = 0;

  read(file: string): Promise<Buffer> {
    return this.#kept(file, () => readFile(file));
  }

  /** Returns what a gzipped file holds, for a reader that takes no coding. */
  unpack(file: string): Promise<Buffer> {
    return this.#kept(`${file}, unpacked`, async () => promisify(gunzip)(await readFile(file)));
  }

  async #kept(file: string, read: () => Promise<Buffer>): Promise<Buffer> {
    const known = this.#bytesByFile.get(file);
    if (known !== undefined) return known;
    const reading = read();
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
