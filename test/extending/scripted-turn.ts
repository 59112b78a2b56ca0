import { tmpdir } from "node:os";
import { buildCatalogue } from "../../src/adapters/providers/catalogue.ts";
import type { Script } from "../../src/adapters/providers/scripted.ts";
import { openMemoryStore } from "../../src/adapters/storage/memory/open-memory-store.ts";
import { must } from "../../src/core/base/assert.ts";
import type { RequestId } from "../../src/core/base/ids.ts";
import type { Result } from "../../src/core/base/result.ts";
import type { ConversationView } from "../../src/client/base/types.ts";
import type { Message } from "../../src/core/message/types.ts";
import { allFeatures, type ToolFeatures } from "../../src/core/tool/registry.ts";
import { isSettled } from "../../src/core/turn/step/precheck.ts";
import { systemPlatform } from "../../src/adapters/platform/system-platform.ts";
import { startServer } from "../../src/host/server/server.ts";
import { openWorkspace } from "../../src/host/workspace/workspace.ts";
import { connectTestClient, until } from "../../src/testing/test-client.ts";

/** Runs a turn of a model that follows a script, on its own server; returns every message, the question first. */
export async function scriptedTurn(script: Script, features: ToolFeatures = allFeatures): Promise<readonly Message[]> {
  const platform = systemPlatform("error");
  const deps = { fetch, clock: platform.clock, sleep: async () => {} };
  const workspace = await openWorkspace({
    store: openMemoryStore(),
    catalogue: buildCatalogue({ script }, deps),
    platform,
    cwd: tmpdir(),
    features,
    welcome: false,
  });
  const token = "test-token-0123456789";
  const server = await startServer({
    workspace,
    token,
    appFolder: tmpdir(),
    host: "127.0.0.1",
    port: 0,
    defaultName: "Ann",
  });
  const client = connectTestClient({ url: server.url, token });
  try {
    const { rootId } = accepted(await client.call("conversation.create", { model: "scripted/script" }));
    const clientRequestId = "scripted-turn-1" as RequestId;
    const question = { rootId, parentNodeId: null, text: "Please begin.", clientRequestId };
    accepted(await client.call("message.send", question));
    const isOver = (view: ConversationView | null): view is ConversationView =>
      view !== null && view.runs.length > 0 && view.runs.every(({ state }) => isSettled(state));
    const view = await until(client.conversation(rootId), isOver);
    return [...view.nodesById.values()].map(({ message }) => message);
  } finally {
    client.close();
    await server.close();
    await workspace.close();
  }
}

/** The answer of the turn's only call, as the model read it. */
export function onlyAnswer(messages: readonly Message[]): unknown {
  const result = must(
    messages.find((message) => message.role === "tool"),
    "the turn has a tool result",
  );
  const [block] = result.content;
  return block.type === "text" ? JSON.parse(block.text) : block;
}

function accepted<Value>(result: Result<Value, { readonly code: string }>): Value {
  if (!result.ok) throw new Error(`refused: ${result.error.code}`);
  return result.value;
}
