import { reasonOf } from "../../core/base/reason.ts";
import type { FilePath } from "../../core/base/file-path.ts";
import type { Logger } from "../../core/port/platform.ts";
import type { Author } from "../document/record/types.ts";

/** A file that other work may change on disk. */
export interface LentFile {
  /** Returns a number that changes when the file may have changed; null: there is no file. */
  stamp(): Promise<number | null>;
  mergeFile(): Promise<void>;
}

const stampsAtOnce = 64;

/**
 * Returns the text of a file that its author saw last, where that may be older than the file was, and notes the text that
 * the author wrote; null: the author saw the file as it was.
 */
export type SeenText = (path: FilePath, written: string) => string | null;

interface Borrower {
  readonly author: () => Promise<Author>;
  readonly seen: SeenText;
}

/** The work that currently changes the files, and the author of its changes. */
export class LentFiles {
  readonly #logger: Logger;
  readonly #borrowers = new Set<Borrower>();

  constructor(logger: Logger) {
    this.#logger = logger;
  }

  /** Returns the author of a change on disk; null where no work is running, or more than one. */
  get author(): (() => Promise<Author>) | null {
    return this.#only?.author ?? null;
  }

  /** What that author saw of the files. */
  readonly seen: SeenText = (path, written) => this.#only?.seen(path, written) ?? null;

  get #only(): Borrower | null {
    const [borrower, ...others] = this.#borrowers;
    return others.length === 0 ? (borrower ?? null) : null;
  }

  /** Runs `work` under an author's name; `settled` resolves when its changes in `files` are merged. */
  async lend<T>(
    files: () => readonly LentFile[],
    author: () => Promise<Author>,
    work: () => Promise<T>,
    seen: SeenText = () => null,
  ): Promise<{ value: T; settled: Promise<void> }> {
    const before = await stampsOf(files());
    const borrower: Borrower = { author, seen };
    this.#borrowers.add(borrower);
    const settle = async (): Promise<void> => {
      try {
        for (const [file, stamp] of await stampsOf(files())) if (before.get(file) !== stamp) await file.mergeFile();
      } catch (bug) {
        this.#logger.error("file-not-taken-in", { reason: reasonOf(bug) });
      } finally {
        this.#borrowers.delete(borrower);
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
