import { expect, test } from "vitest";
import type { NodeId, TurnId } from "../../../src/core/base/ids.ts";
import type { ForestNode } from "../../../src/core/forest/types.ts";
import { questionOfTurn } from "./turn-question.ts";

const node = (id: string, turnId: string, role: string, text: string): [NodeId, ForestNode] => [
  id as NodeId,
  { id, turnId, message: { role, content: [{ type: "text", text }] } } as unknown as ForestNode,
];

test("a turn is named by the words that began it, on one line and shortened", () => {
  const nodes = new Map([
    node("a", "turn_1", "user", "Tighten\n  the introduction"),
    node("b", "turn_1", "assistant", "Done."),
    node("c", "turn_2", "user", "x".repeat(500)),
  ]);
  const of = (turnId: string): string | null => questionOfTurn(nodes, turnId as TurnId);
  expect(of("turn_1")).toBe("Tighten the introduction");
  expect(of("turn_2")?.length).toBeLessThan(170);
  expect(of("turn_3")).toBeNull();
});
