import { mkdir, readFile } from "node:fs/promises";
import { dirname, join } from "node:path";
import { writeWhole } from "../../base/write-whole.ts";

/** More than anyone answers; the oldest are forgotten and asked about again. */
const keptMax = 500;

/** The folders in which a person said that conversations shall not work: the terminal asks once. */
export class DeclinedFolders {
  readonly #file: string;

  /** `data`: the data folder of this machine. */
  constructor(data: string) {
    this.#file = join(data, "declined-folders.json");
  }

  async has(folder: string): Promise<boolean> {
    return (await this.#read()).includes(folder);
  }

  /** Remembers a "no". Where that cannot be written, the person is asked again. */
  async add(folder: string): Promise<void> {
    const known = (await this.#read()).filter((each) => each !== folder);
    try {
      await mkdir(dirname(this.#file), { recursive: true, mode: 0o700 });
      await writeWhole(this.#file, `${JSON.stringify([...known, folder].slice(-keptMax), null, 2)}\n`);
    } catch {
      // The answer was heard; only the memory of it is lost.
    }
  }

  async #read(): Promise<readonly string[]> {
    try {
      const stored: unknown = JSON.parse(await readFile(this.#file, "utf8"));
      return Array.isArray(stored) ? stored.filter((each) => typeof each === "string") : [];
    } catch {
      return [];
    }
  }
}
