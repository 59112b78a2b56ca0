import { must } from "../../core/base/assert.ts";
import { openSqliteStore } from "../../adapters/storage/sqlite/open-sqlite-store.ts";
import { tell } from "../../testing/store/tell.test-support.ts";
import { agentsWorld } from "./outside-agents.test-support.ts";

/**
 * A server for a test to kill, with an agent in a turn that never ends. Prints where the agent reaches Heddle, and by what token.
 * Argument: the database file.
 */

const store = await openSqliteStore({ file: must(process.argv[2], "a database file is given") });
const world = await agentsWorld(undefined, {}, null, { store });
await world.send([{ do: "mcp" }, { do: "hang" }]);
for (;;) {
  const said = world.view().runs[0]?.liveBlocks[0]?.text ?? "";
  if (said.endsWith("]")) {
    const [server] = JSON.parse(said) as { readonly url: string; readonly headers: { readonly value: string }[] }[];
    const { url, headers } = must(server, "the agent has a server");
    tell(JSON.stringify({ url, authorization: headers[0]?.value, port: Number(new URL(url).port) }));
    break;
  }
  await new Promise((resolve) => setTimeout(resolve, 5));
}
