import { BaseSequencer, type TestSpecification } from "vitest/node";

/** The files that take longest, mostly waiting for browsers, servers and disks; in this order. */
const longest = ["test/e2e/", "test/process/", "test/fuzz/", "src/adapters/storage/", "test/power-cut/"];

/**
 * Orders the files of a run so that no long one is left for the end, when the other workers are idle. A machine that
 * has run them before knows their times; a new one uses their folders, and then their sizes.
 */
export default class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const sorted = await super.sort(files);
    if (files.every((file) => this.ctx.cache.getTestSpecificationResult(file) !== undefined)) return sorted;
    const places = new Map(sorted.map((file, index) => [file, index]));
    const placeOf = (file: TestSpecification): number => places.get(file) ?? 0;
    return sorted.toSorted((a, b) =>
      a.project === b.project ? rank(a) - rank(b) || placeOf(a) - placeOf(b) : placeOf(a) - placeOf(b),
    );
  }
}

function rank(file: TestSpecification): number {
  const index = longest.findIndex((folder) => file.moduleId.includes(`/${folder}`));
  return index === -1 ? longest.length : index;
}
