import { createHash } from "node:crypto";
import { openFolderBlobs } from "../../src/adapters/blobs/folder-blobs.ts";
import { must } from "../../src/core/base/assert.ts";
import { tell } from "../../src/testing/store/tell.test-support.ts";

/**
 * A process to be traced: stores blobs, six at once, which are the first of their folder together, and prints the id of
 * each acknowledged blob. Its arguments are the existing folder and the number of rounds.
 */

const blobs = await openFolderBlobs({ folder: must(process.argv[2], "a folder is given"), now: () => 1_000 });
const rounds = Number(process.argv[3]);

for (let round = 0; round < rounds; round += 1) {
  const contents: Uint8Array[] = [];
  for (let tried = 0; contents.length < 6; tried += 1) {
    const bytes = new TextEncoder().encode(`blob ${tried} of round ${round}\n`.repeat(300));
    if (createHash("sha256").update(bytes).digest()[0] === round) contents.push(bytes);
  }
  await Promise.all(contents.map(async (bytes) => tell((await blobs.put(bytes)).id)));
}
