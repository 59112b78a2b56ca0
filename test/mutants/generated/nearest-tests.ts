import type { SourceFile } from "../../tidy/source-files.ts";

/** Test files by how many imports away a source file is from each. */
export type Distances = ReadonlyMap<string, number>;

/** For each source file, the test files that import it, directly or through others. */
export function testDistances(files: readonly SourceFile[], tests: readonly string[]): ReadonlyMap<string, Distances> {
  const importsByPath = new Map(files.map(({ path, imports }) => [path, imports]));
  const distances = new Map<string, Map<string, number>>();
  for (const test of tests) {
    const seen = new Set([test]);
    let border: readonly string[] = [test];
    for (let distance = 1; border.length > 0; distance += 1) {
      const next: string[] = [];
      for (const path of border.flatMap((one) => importsByPath.get(one) ?? [])) {
        if (seen.has(path)) continue;
        seen.add(path);
        next.push(path);
        const known = distances.get(path) ?? new Map<string, number>();
        distances.set(path, known.set(test, distance));
      }
      border = next;
    }
  }
  return distances;
}
