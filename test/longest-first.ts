import { BaseSequencer, type TestSpecification } from "vitest/node";

/** What takes longest, most of it waiting for browsers, servers and disks; in this order. */
const longest = ["test/e2e/", "test/process/", "test/fuzz/", "src/adapters/storage/", "test/power-cut/"];

/**
 * Orders the files of a run so that no long one is left for the end, when the other workers have nothing more to do. A
 * machine that ran them before knows their times; a fresh one goes by their folders, and then by their sizes.
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
