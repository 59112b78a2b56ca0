import { readFile } from "node:fs/promises";
import { type PublishedModels, readPublishedModels } from "../../adapters/providers/served/published-models.ts";
import { errorCodeOf } from "../../core/base/error-code.ts";
import { reasonOf } from "../../core/base/reason.ts";
import type { Logger } from "../../core/port/platform.ts";

/** A public list of models that a person puts into the data folder; without the file, Heddle's own table is used alone. */
export class PublishedFile {
  readonly #file: string | undefined;
  readonly #logger: Logger;
  #text = "";
  #models: PublishedModels = new Map();

  constructor(file: string | undefined, logger: Logger) {
    this.#file = file;
    this.#logger = logger;
  }

  /** The models of the last valid content. */
  get models(): PublishedModels {
    return this.#models;
  }

  /** Reads the file again; true when other models are in use now. A file with a mistake leaves its last valid content in use. */
  async look(): Promise<boolean> {
    if (this.#file === undefined) return false;
    let text: string;
    try {
      text = await readFile(this.#file, "utf8");
    } catch (problem) {
      if (errorCodeOf(problem) !== "ENOENT") return this.#warn(reasonOf(problem));
      text = "";
    }
    if (text === this.#text) return false;
    this.#text = text;
    const read = text === "" ? ({ ok: true, value: new Map() } as const) : readPublishedModels(text);
    if (!read.ok) return this.#warn(read.error);
    this.#models = read.value;
    return true;
  }

  #warn(problem: string): false {
    this.#logger.warn("published-models-not-read", { problem });
    return false;
  }
}
