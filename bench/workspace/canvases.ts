import { buildCatalogue } from "../../src/adapters/providers/catalogue.ts";
import { systemPlatform } from "../../src/adapters/platform/system-platform.ts";
import { openSqliteStore } from "../../src/adapters/storage/sqlite/open-sqlite-store.ts";
import { assert } from "../../src/core/base/assert.ts";
import { paceOf } from "../../src/host/base/pace.ts";
import { openWorkspace } from "../../src/host/workspace/workspace.ts";
import { seededRandom } from "../../src/testing/seeded-random.ts";

const unitsEach = 20_000;
/** How many canvases are created at once, in one commit or few. */
const atOnce = 100;

/** Adds canvases to a database file, as a workspace makes them. The same numbers give the same texts. */
export async function fillCanvases(file: string, count: number): Promise<void> {
  const platform = systemPlatform();
  const catalogue = buildCatalogue({}, { fetch, clock: platform.clock, sleep: paceOf("instant", platform.clock) });
  const store = await openSqliteStore({ file });
  const workspace = await openWorkspace({ store, catalogue, platform, cwd: "/", welcome: false });
  const author = await workspace.ownAuthor("bench");
  const random = seededRandom(count);
  for (let from = 0; from < count; from += atOnce) {
    const made = await Promise.all(
      Array.from({ length: Math.min(atOnce, count - from) }, (_, index) => {
        let text = `# Canvas ${from + index}\n`;
        while (text.length < unitsEach) text += `${random.below(1_000_000).toString(36)} of ${random.below(100)}\n`;
        return workspace.createCanvas(author, { title: `Canvas ${from + index}`, text });
      }),
    );
    assert(
      made.every(({ ok }) => ok),
      "the canvases are made",
    );
  }
  await workspace.close();
}
