import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { fileURLToPath } from "node:url";
import type { Mutant } from "./mutant.ts";

const repository = fileURLToPath(new URL("../..", import.meta.url));

/** A copy of the sources, so that a defect disturbs nobody. */
export class SourceCopy {
  readonly folder: string;

  constructor() {
    this.folder = mkdtempSync(join(tmpdir(), "heddle-mutants-"));
    for (const name of [
      "src",
      "test",
      "bench",
      "package.json",
      "vitest.config.ts",
      "tsconfig.json",
      "tsconfig.base.json",
    ]) {
      cpSync(join(repository, name), join(this.folder, name), {
        recursive: true,
        filter: (source) => !/\/(?:node_modules|dist)(?:\/|$)/.test(source.slice(repository.length)),
      });
    }
    symlinkSync(join(repository, "node_modules"), join(this.folder, "node_modules"));
  }

  /** Puts a defect in; returns how to take it out. A defect that cannot be applied is a mistake in its list. */
  plant({ name, file, search, replacement }: Pick<Mutant, "name" | "file" | "search" | "replacement">): () => void {
    const path = join(this.folder, file);
    const source = readFileSync(path, "utf8");
    const places = source.split(search).length - 1;
    if (places !== 1) throw new Error(`${name}: its text occurs ${places} times in ${file}`);
    writeFileSync(
      path,
      source.replace(search, () => replacement),
    );
    return () => writeFileSync(path, source);
  }

  remove(): void {
    rmSync(this.folder, { recursive: true, force: true });
  }
}
