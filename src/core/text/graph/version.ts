/** A set of heads as lvs, sorted; empty before the first unit. TextVersion is the form that other replicas understand. */
export type Version = readonly number[];

/** Ranges of lvs as flat pairs of start and end (exclusive), highest first. */
export type LvRanges = readonly number[];

/** The lv before the first unit. */
export const root = -1;

/** Returns the newest unit of a version. */
export function top(version: Version): number {
  return version[version.length - 1] ?? root;
}

/** Whether two sorted versions are the same. */
export function sameVersion(a: Version, b: Version): boolean {
  if (a === b) return true;
  if (a.length !== b.length) return false;
  for (let i = 0; i < a.length; i += 1) if (a[i] !== b[i]) return false;
  return true;
}

/** Returns the version after a unit with these `parents`. */
export function succeeded(heads: Version, parents: Version, lv: number): Version {
  const next: number[] = [];
  for (const head of heads) if (!parents.includes(head)) next.push(head);
  next.push(lv);
  return next;
}

/** Sorts lvs and drops duplicates. */
export function sortedLvs(lvs: readonly number[]): readonly number[] {
  const [a, b] = lvs;
  if (a === undefined || b === undefined) return lvs;
  if (lvs.length === 2) return a < b ? lvs : a === b ? [a] : [b, a];
  return [...new Set(lvs)].toSorted((x, y) => x - y);
}
