import { expect, test } from "vitest";
import { createTokenEstimator } from "../../../adapters/tokens/token-estimator.ts";
import type { ActorId, NodeId, RootId, TurnId } from "../../../core/base/ids.ts";
import type { ForestNode } from "../../../core/forest/types.ts";
import { dueCompaction } from "../../../core/turn/compaction/due.ts";
import { noCanvasContext } from "../../canvas/canvas-context.ts";
import { requestTokens } from "./judge-request.ts";

const model = "test/counted";

/** A turn of one question and one counted reply, message by message. */
function messageOf(index: number): ForestNode {
  const node = {
    id: `n${index}` as NodeId,
    rootId: "root" as RootId,
    parentId: index === 0 ? null : (`n${index - 1}` as NodeId),
    prefixHash: `${index}`,
    actor: { type: "person", id: "ada" as ActorId, name: "Ada" },
    runId: null,
    turnId: `t${Math.floor(index / 2)}` as TurnId,
    usage: null,
    createdAt: index,
  } as const;
  if (index % 2 === 0)
    return { ...node, message: { role: "user", content: [{ type: "text", text: `question ${index}` }] } };
  const usage = { inputTokens: index * 10, outputTokens: 10, cachedInputTokens: 0, thinkingTokens: 0 };
  const message = { role: "assistant", content: [{ type: "text", text: `reply ${index}` }] } as const;
  return { ...node, message, usage, request: { model } };
}

test("14.21 deciding on a compaction over 100,000 messages, estimate and cut, takes at most 20 ms of the processor", async () => {
  const messages = Array.from({ length: 100_000 }, (_, index) => messageOf(index));
  const ports = { tokens: createTokenEstimator(), canvases: noCanvasContext };
  const frame = { system: "Be brief.", tools: [] };
  const times: number[] = [];
  for (let round = 0; round < 15; round += 1) {
    const path = [...messages];
    const before = process.threadCpuUsage();
    const used = await requestTokens(ports, { frame, model, path });
    const due = dueCompaction({ path, turnId: null, window: 1_000_000, used, compactAt: 0.8, failed: 0 });
    const { user, system } = process.threadCpuUsage(before);
    times.push((user + system) / 1_000);
    expect(due?.cut.messages).toBeGreaterThan(90_000);
  }
  expect(Math.min(...times)).toBeLessThan(20);
});
