import { existsSync, readdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join, relative, resolve, sep } from "node:path";
import { minifySync } from "vite";

/**
 * Removes the comments from the compiled files of a folder: an installed package is run, its declarations are read. Names
 * and lines remain, so that a stack trace is readable.
 */
export function removeComments(folder: string): void {
  for (const file of filesBelow(folder, ".js")) {
    const { code, errors } = minifySync(file, readFileSync(file, "utf8"), {
      module: true,
      compress: false,
      mangle: false,
      codegen: { removeWhitespace: false },
    });
    if (errors.length > 0) throw new Error(`${file} cannot be read: ${errors[0]?.message}`);
    writeFileSync(file, code);
  }
}

/**
 * Writes an ignore file that keeps out of the package what declares nothing of the entries' types. The files remain for the
 * compiler, which reads them when it builds the next ring.
 */
export function ignoreInnerDeclarations(dist: string, entries: string): void {
  const needed = declarationsNeeded(filesBelow(entries, ".d.ts"));
  const inner = filesBelow(dist, ".d.ts").filter((file) => !needed.has(file));
  const lines = inner.map((file) => `/${relative(dist, file).split(sep).join("/")}`);
  writeFileSync(join(dist, ".npmignore"), `${lines.toSorted().join("\n")}\n`);
}

/** Follows imports from the named declarations. */
export function declarationsNeeded(files: readonly string[]): ReadonlySet<string> {
  const needed = new Set<string>();
  const open = [...files];
  for (let file = open.pop(); file !== undefined; file = open.pop()) {
    if (needed.has(file)) continue;
    needed.add(file);
    for (const [, path = ""] of readFileSync(file, "utf8").matchAll(/(?:\bfrom|\bimport)\s*\(?\s*"(\.[^"]+)"/g)) {
      const next = resolve(dirname(file), path).replace(/(?:\.d)?\.[jt]s$/, ".d.ts");
      if (!existsSync(next)) throw new Error(`${file} needs ${path}, which does not exist`);
      open.push(next);
    }
  }
  return needed;
}

function filesBelow(folder: string, ending: string): readonly string[] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile() && entry.name.endsWith(ending))
    .map((entry) => join(entry.parentPath, entry.name));
}
