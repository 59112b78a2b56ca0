import type { SourceFile } from "../../tidy/source-files.ts";

/**
 * For each source file, the test files that import it, directly or through others: those with the fewest imports between
 * first, then those in folders near it.
 */
export function nearestTests(
  files: readonly SourceFile[],
  tests: readonly string[],
): ReadonlyMap<string, readonly string[]> {
  return new Map(
    [...testDistances(files, tests)].map(([source, distances]) => {
      const ranked = [...distances].map(([test, distance]) => ({
        test,
        distance,
        shared: sharedFolders(source, test),
      }));
      const sorted = ranked.toSorted((a, b) => a.distance - b.distance || b.shared - a.shared);
      return [source, sorted.map(({ test }) => test)] as const;
    }),
  );
}

function sharedFolders(a: string, b: string): number {
  const other = b.split("/");
  const first = a.split("/").findIndex((name, index) => name !== other[index]);
  return first === -1 ? other.length : first;
}

/** For each source file, the test files that import it by how many imports away they are. */
function testDistances(
  files: readonly SourceFile[],
  tests: readonly string[],
): ReadonlyMap<string, ReadonlyMap<string, number>> {
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
