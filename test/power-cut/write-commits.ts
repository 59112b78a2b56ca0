import { must } from "../../src/core/base/assert.ts";
import { openSqliteStore } from "../../src/adapters/storage/sqlite/open-sqlite-store.ts";
import { node, put, root, rootId } from "../../src/testing/store/records.ts";
import { writers } from "./writers.ts";
import { tell } from "../../src/testing/store/tell.test-support.ts";

/**
 * A process to be traced: each of its writers commits to two blocks and adds a message, all writers at once, so that
 * commits are grouped. It prints `writer version` for every acknowledged commit. Its arguments are the database file
 * and the number of commits per writer.
 */

const store = await openSqliteStore({ file: must(process.argv[2], "a database file is given") });
const commits = Number(process.argv[3]);
const update = new Uint8Array(900).fill(7);

await Promise.all(
  writers.map(async (writer) => {
    for (let version = 1; version <= commits; version += 1) {
      const body = { type: "text", update, spans: [], unit: { id: "u" } } as const;
      const change = version === 1 ? {} : { change: { body } };
      const message = node(`${writer}-${version}`, { rootId: rootId(writer), prefixHash: `${writer}-${version}` });
      const result = await store.commit([
        ...(version === 1 ? [{ type: "put-root", root: root(writer) } as const] : []),
        put(`${writer}-left`, version, change),
        { type: "put-node", node: message },
        put(`${writer}-right`, version, change),
      ]);
      if (!result.ok) throw new Error(`the commit was refused: ${JSON.stringify(result.error)}`);
      tell(`${writer} ${version}`);
    }
  }),
);
process.exit(0);
