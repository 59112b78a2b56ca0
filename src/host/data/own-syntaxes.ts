import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { errorCodeOf } from "../../core/base/error-code.ts";
import { reasonOf } from "../../core/base/reason.ts";
import type { Syntax } from "../../core/syntax/base/syntax.ts";
import { readDialect } from "../../core/syntax/read-dialect.ts";
import { syntaxes } from "../../core/syntax/registry.ts";

const filesMax = 100;

/** A file that describes a syntax, and what is wrong with it, if anything. */
interface SyntaxFile {
  readonly name: string;
  /** The text of a file that was read and has no mistake; empty otherwise. */
  readonly text: string;
  readonly problem: string | null;
}

/** The syntaxes that can be chosen: the built-in ones, then those of the data folder. */
export interface OwnSyntaxes {
  readonly syntaxes: readonly Syntax[];
  readonly files: readonly SyntaxFile[];
}

/** Reads the files `syntaxes/*.json` of a data folder. A file with a mistake is left out and named. */
export function readOwnSyntaxes(dataFolder: string): OwnSyntaxes {
  const folder = join(dataFolder, "syntaxes");
  const known: Syntax[] = [...syntaxes];
  const files: SyntaxFile[] = [];
  const failed = (name: string, problem: string): void => void files.push({ name, text: "", problem });
  for (const name of namesIn(folder, failed)) {
    if (files.length === filesMax) {
      failed(name, `only ${filesMax} files are read; this and later ones are not`);
      break;
    }
    let text: string;
    try {
      text = readFileSync(join(folder, name), "utf8");
    } catch (problem) {
      failed(name, reasonOf(problem));
      continue;
    }
    const read = readDialect(
      text,
      known.map(({ id }) => id),
    );
    if (!read.ok) failed(name, read.error);
    else if (`${read.value.id}.json` !== name)
      failed(name, `the file must be named ${read.value.id}.json, after its id`);
    else {
      known.push(read.value);
      files.push({ name, text, problem: null });
    }
  }
  return { syntaxes: known, files };
}

function namesIn(folder: string, failed: (name: string, problem: string) => void): readonly string[] {
  try {
    return readdirSync(folder)
      .filter((name) => name.endsWith(".json"))
      .toSorted();
  } catch (problem) {
    if (errorCodeOf(problem) !== "ENOENT") failed("syntaxes", reasonOf(problem));
    return [];
  }
}
