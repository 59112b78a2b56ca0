import { must } from "../../../core/base/assert.ts";
import { node, nodeId, root, rootId } from "../../../testing/store/records.ts";
import { openSqliteStore } from "./open-sqlite-store.ts";
import { tell } from "../../../testing/store/tell.test-support.ts";

/**
 * A process for a test to kill. Creates roots in an endless loop, each with fifty messages below one parent, all requested
 * at once, and prints a line for every acknowledged message: `root node`. Arguments: the database file, a name that no
 * other process has used.
 */

const store = await openSqliteStore({ file: must(process.argv[2], "a database file is given") });
const prefix = must(process.argv[3], "a name is given");

for (let round = 0; ; round += 1) {
  const name = `${prefix}-${round}`;
  const of = rootId(name);
  const parent = node(`${name}-top`, { rootId: of, prefixHash: `${name}-top` });
  const children = Array.from({ length: 50 }, (_, index) =>
    node(`${name}-${index}`, { rootId: of, parentId: nodeId(`${name}-top`), prefixHash: `${name}-${index}` }),
  );
  const first = store.commit([
    { type: "put-root", root: root(name) },
    { type: "put-node", node: parent },
  ]);
  await Promise.all([
    first,
    ...children.map(async (child) => {
      const result = await store.commit([{ type: "put-node", node: child }]);
      if (!result.ok) throw new Error(`the commit was refused: ${JSON.stringify(result.error)}`);
      tell(`${of} ${child.id}`);
    }),
  ]);
}
