import { execFileSync } from "node:child_process";
import { readFileSync } from "node:fs";
import { dirname, join, normalize } from "node:path";
import { fileURLToPath } from "node:url";

export const repository = fileURLToPath(new URL("../..", import.meta.url));

/** A TypeScript file of the repository with its imports: paths from the repository's root, or package names. */
export interface SourceFile {
  readonly path: string;
  readonly text: string;
  readonly imports: readonly string[];
  readonly packages: readonly string[];
}

/** Lists every file that git tracks or would track, by path from the root. */
export function repositoryFiles(): readonly string[] {
  const listed = execFileSync("git", ["ls-files", "-z", "--cached", "--others", "--exclude-standard"], {
    cwd: repository,
  });
  return listed.toString("utf8").split("\0").filter(Boolean).toSorted();
}

/** Reads all TypeScript sources, tests included; imports of types count too. */
export function sourceFiles(): readonly SourceFile[] {
  return repositoryFiles()
    .filter((path) => /\.tsx?$/.test(path) && !path.endsWith(".d.ts"))
    .flatMap((path) => {
      try {
        return [readSource(path)];
      } catch {
        return []; // Listed by git, deleted in the work tree.
      }
    });
}

function readSource(path: string): SourceFile {
  const text = readFileSync(join(repository, path), "utf8");
  const specifiers = [
    ...text.matchAll(
      /(?:^|\n)\s*(?:import|export)\b[^;]*?\bfrom\s+"([^"]+)"|\bimport\(\s*"([^"]+)"\s*\)|(?:^|\n)import\s+"([^"]+)"/g,
    ),
  ].map((match) => match[1] ?? match[2] ?? match[3] ?? "");
  return {
    path,
    text,
    imports: specifiers.filter((name) => name.startsWith(".")).map((name) => normalize(join(dirname(path), name))),
    packages: specifiers.filter((name) => !name.startsWith(".")),
  };
}
