import { reasonOf } from "../../core/base/reason.ts";
import type { Logger } from "../../core/port/platform.ts";
import type { Author } from "../document/record/types.ts";

/** A file that something else may change on disk. */
export interface LentFile {
  /** A number that is another when the file may be; null: it is not there. */
  stamp(): Promise<number | null>;
  takeIn(): Promise<void>;
}

const stampsAtOnce = 64;

/** Who else works on the files just now, and what came of it. */
export class LentFiles {
  readonly #logger: Logger;
  readonly #borrowers = new Set<() => Promise<Author>>();

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  /** Whose doing a change on disk is; null where nobody works on the files, or several do. */
  get author(): (() => Promise<Author>) | null {
    const [borrower, ...others] = this.#borrowers;
    return others.length === 0 ? (borrower ?? null) : null;
  }

  /** Lets `work` go on under an author's name; `settled` resolves when what it changed in `files` is taken in. */
  async lend<T>(
    files: () => readonly LentFile[],
    author: () => Promise<Author>,
    work: () => Promise<T>,
  ): Promise<{ value: T; settled: Promise<void> }> {
    const before = await stampsOf(files());
    this.#borrowers.add(author);
    const settle = async (): Promise<void> => {
      try {
        for (const [file, stamp] of await stampsOf(files())) if (before.get(file) !== stamp) await file.takeIn();
      } catch (bug) {
        this.#logger.error("file-not-taken-in", { reason: reasonOf(bug) });
      } finally {
        this.#borrowers.delete(author);
      }
    };
    try {
      return { value: await work(), settled: settle() };
    } catch (problem) {
      await settle();
      throw problem;
    }
  }
}

async function stampsOf<File extends LentFile>(files: readonly File[]): Promise<ReadonlyMap<File, number | null>> {
  const stamps = new Map<File, number | null>();
  for (let from = 0; from < files.length; from += stampsAtOnce) {
    const some = files.slice(from, from + stampsAtOnce);
    const found = await Promise.all(some.map((file) => file.stamp()));
    for (const [index, file] of some.entries()) stamps.set(file, found[index] ?? null);
  }
  return stamps;
}
