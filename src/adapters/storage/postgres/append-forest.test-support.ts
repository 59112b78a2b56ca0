import { writeSync } from "node:fs";
import { must } from "../../../core/base/assert.ts";
import type { StoreWrite } from "../../../core/port/store.ts";
import { node, root, rootId } from "../../../testing/store/records.ts";
import { openPostgresStore } from "./open-postgres-store.ts";

/**
 * A process for a test to kill. In an endless loop it creates a root with its first message, fifty siblings of that message
 * and fifty children of it, all at once, and prints the id of each acknowledged node. Arguments: the database, the number
 * of its first root.
 */

const store = await openPostgresStore({ url: must(process.argv[2], "an address is given") });

async function append(id: string, ...writes: readonly StoreWrite[]): Promise<void> {
  const result = await store.commit(writes);
  if (!result.ok) throw new Error(`${id} was refused: ${JSON.stringify(result.error)}`);
  // Written straight into the pipe: a printed id survives the process, and an unprinted one was never reported.
  writeSync(1, `${id}\n`);
}

for (let round = Number(process.argv[3] ?? 0); ; round += 1) {
  const of = rootId(String(round));
  const parent = node(`${round}/parent`, { rootId: of, prefixHash: `${round}/parent` });
  const below = Array.from({ length: 100 }, (_, index) => {
    const name = `${round}/${index}`;
    return node(name, { rootId: of, parentId: index % 2 === 0 ? parent.id : null, prefixHash: name });
  });
  await Promise.all([
    append(parent.id, { type: "put-root", root: root(String(round)) }, { type: "put-node", node: parent }),
    ...below.map((each) => append(each.id, { type: "put-node", node: each })),
  ]);
}
