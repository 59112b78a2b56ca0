import { tmpdir } from "node:os";
import { buildCatalogue } from "../../src/adapters/providers/catalogue.ts";
import type { Script } from "../../src/adapters/providers/scripted.ts";
import { openMemoryStore } from "../../src/adapters/storage/memory/open-memory-store.ts";
import { must } from "../../src/core/base/assert.ts";
import type { Result } from "../../src/core/base/result.ts";
import type { Message } from "../../src/core/message/types.ts";
import { allFeatures, type ToolFeatures } from "../../src/core/tool/registry.ts";
import { isAtRest } from "../../src/core/turn/precheck.ts";
import { systemPlatform } from "../../src/host/platform.ts";
import { personNamed } from "../../src/host/server/people.ts";
import { openWorkspace } from "../../src/host/workspace.ts";

/** A turn of a model that says what a script says, in a workspace of its own: every message of it, the question first. */
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
  try {
    const { conversations } = workspace;
    const person = personNamed("Ann");
    const { id: rootId } = accepted(
      await conversations.createConversation(person, { title: "Script", model: "scripted/script" }),
    );
    accepted(await conversations.sendMessage(person, { rootId, parentNodeId: null, text: "Please begin." }));
    const { promise: atRest, resolve } = Promise.withResolvers<void>();
    await conversations.watch(rootId, 0, {
      snapshot: ({ runs }) => void (runs.every(({ state }) => isAtRest(state)) && resolve()),
      deliver: (records) =>
        void (records.some(({ body }) => body.type === "run-changed" && isAtRest(body.state)) && resolve()),
    });
    await atRest;
    return accepted(await conversations.view(rootId)).nodes.map(({ message }) => message);
  } finally {
    await workspace.close();
  }
}

/** The answer of the only call of a turn, as the model read it. */
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
