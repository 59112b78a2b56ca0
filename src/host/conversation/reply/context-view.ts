import type { Refusal } from "../../../core/base/errors.ts";
import { ok, type Result } from "../../../core/base/result.ts";
import { sentPath } from "../../../core/forest/sent-path.ts";
import type { ForestNode } from "../../../core/forest/types.ts";
import type { Message } from "../../../core/message/types.ts";
import type { BranchContext } from "../../../core/protocol/commands.ts";
import { encodeRequestFor } from "../../../core/syntax/write/encode-request.ts";
import type { ToolDefinition } from "../../../core/model/request.ts";
import type { ConversationPorts, EffectContext } from "../base/conversation-ports.ts";
import { compactAtOf, effectiveRules } from "../base/run-rules.ts";
import { reachOfTurn } from "../base/turn-reach.ts";
import { requestFrame } from "./request-frame.ts";
import { readableCanvas, withoutSwitchedOff } from "./model-canvas.ts";
import { messagesWithNames } from "./speakers.ts";

type ContextPorts = Pick<
  ConversationPorts,
  "store" | "models" | "tools" | "canvases" | "toolCalls" | "tokens" | "rules" | "thinking" | "rights"
>;

/** Returns what the next request of a branch holds, with tokens by part, and what is left out and why. */
export async function contextView(
  ports: ContextPorts,
  context: EffectContext,
  path: readonly ForestNode[],
): Promise<Result<BranchContext, Refusal>> {
  const { canvases, store, tokens } = ports;
  const { root, run, turn } = context;
  const signal = new AbortController().signal;
  const frame = await requestFrame(ports, context, { asking: "reply", path, signal, isPreview: true });
  if (!frame.ok) return frame;
  const { model, calling, tools } = frame.value;
  const { sent, leftOut } = sentPath(path);
  const estimate = async (part: Partial<Parameters<typeof tokens.estimate>[0]>): Promise<number> =>
    (await tokens.estimate({ modelId: turn.model, system: "", messages: [], tools: [], ...part })).expected;

  const written = encodeRequestFor(
    calling.syntax,
    {
      model: turn.model,
      system: frame.value.system,
      messages: [],
      tools: tools.map(({ name, description, inputSchema }) => ({ name, description, inputSchema })),
      maxTokens: 1,
      thinking: "off",
    },
    tools,
    calling.policy,
  );
  const listed = await Promise.all(
    written.tools.map(async (tool: ToolDefinition) => ({ ...tool, tokens: await estimate({ tools: [tool] }) })),
  );
  const { updates } = await canvases.beforeMessage(
    { path, turnId: run.turnId, told: [] },
    // Who looks is not who asked: they are shown what everyone here may read.
    await readableCanvas(root, {}, ports),
  );
  const messages: BranchContext["messages"][number][] = [];
  for (const [index, message] of messagesWithNames(path, sent).entries()) {
    const node = sent[index]?.node;
    if (node === undefined) break;
    // Where canvases are switched off, their updates are not sent.
    if (withoutSwitchedOff(root, canvases.sent([message])).length === 0) continue;
    messages.push({ nodeId: node.id, kind: kindOf(message), tokens: await estimate({ messages: [message] }), message });
  }
  for (const message of withoutSwitchedOff(root, canvases.sent(updates))) {
    messages.push({ nodeId: null, kind: "canvas-update", tokens: await estimate({ messages: [message] }), message });
  }
  const omitted: BranchContext["leftOut"][number][] = [];
  for (const { id: nodeId, message } of path) {
    const why = leftOut.get(nodeId);
    if (why === undefined) continue;
    omitted.push({ nodeId, role: message.role, tokens: await estimate({ messages: [message] }), why });
  }
  const system = { tokens: await estimate({ system: written.system }), text: written.system };
  const toolTokens = listed.reduce((sum, tool) => sum + tool.tokens, 0);
  const at = compactAtOf((await effectiveRules(store, root, ports.rules)).compaction);
  return ok({
    model: turn.model,
    window: model.info.contextTokensMax,
    compactAt: at === null ? null : Math.round(at * 100),
    total: messages.reduce((sum, part) => sum + part.tokens, system.tokens + toolTokens),
    system,
    tools: { tokens: toolTokens, list: listed },
    messages,
    leftOut: omitted,
    canvases: await excludedCanvases(ports, context, path),
  });
}

function kindOf(message: Message): BranchContext["messages"][number]["kind"] {
  if (message.role !== "user") return "message";
  if (message.update !== undefined) return "canvas-update";
  if (message.instruction === "compaction") return "summary";
  return message.instruction === undefined ? "message" : "instruction";
}

/** Returns the canvases of a branch whose changes are not reported, because they are excluded: those that everyone here may read. */
async function excludedCanvases(
  ports: Pick<ContextPorts, "store" | "rights">,
  context: EffectContext,
  path: readonly ForestNode[],
): Promise<BranchContext["canvases"]> {
  const { canvasId } = context.root;
  const ids = new Set([
    ...(canvasId === null ? [] : [canvasId]),
    ...path.flatMap(({ canvas }) => canvas?.canvasId ?? []),
  ]);
  const reach = await reachOfTurn(ports, context, false);
  const excluded: BranchContext["canvases"][number][] = [];
  for (const id of ids) {
    const header = await ports.store.block(id);
    if (header?.excluded !== true || header.deletedAt !== undefined) continue;
    if (reach !== null && !reach.document(header)) continue;
    const { title } = header.metadata;
    excluded.push({ canvasId: id, title: typeof title === "string" ? title : "" });
  }
  return excluded;
}
