import { must } from "../../core/base/assert.ts";
import { sha256Hex } from "../../core/base/hash.ts";
import { accept } from "../../core/base/result.test-support.ts";
import { openSqliteStore } from "../../adapters/storage/sqlite/open-sqlite-store.ts";
import { connectTestClient } from "../../testing/test-client.ts";
import { startTestServer } from "../../testing/test-server.ts";
import { tell } from "../../testing/store/tell.test-support.ts";
import { scriptedCatalogue } from "../cli/chat/chat.test-support.ts";
import { says } from "../conversation/queue/conversation.test-support.ts";

/**
 * A server for a test to kill. Two programs, each with a token of its own, begin a turn whose reply never ends; one token lives for a
 * moment only. Prints the runs and the id of the other token once both turns stream. Argument: the database file.
 */

const store = await openSqliteStore({ file: must(process.argv[2], "a database file is given") });
const scripted = scriptedCatalogue(() => [...says("Some words.").slice(0, 2), "hang"]);
const server = await startTestServer({ catalogue: scripted.catalogue, store, welcome: false });
const owner = connectTestClient(server, { name: "Ada" });

async function ask(name: string, text: string, expiresAt: number | null) {
  const { rootId } = accept(await owner.call("conversation.create", { title: name }));
  const rights = ["read", "run"] as const;
  const made = { name, hash: sha256Hex(name), rights: [...rights], scope: null, expiresAt };
  const { tokenId } = accept(await owner.call("token.create", made));
  const response = await fetch(`${server.url}/api/commands/message.send`, {
    method: "POST",
    headers: { authorization: `Bearer ${name}`, "content-type": "application/json" },
    body: JSON.stringify({ rootId, parentNodeId: null, text }),
  });
  return { tokenId, runId: ((await response.json()) as { readonly runId: string }).runId };
}

const ended = await ask("brief", "This ends.", Date.now() + 1_500);
const kept = await ask("lasting", "This goes on.", null);
while (scripted.requests.length < 2) await new Promise((resolve) => setTimeout(resolve, 5));
tell(JSON.stringify({ ended: ended.runId, kept: kept.runId, tokenId: kept.tokenId }));
