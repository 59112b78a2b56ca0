import { expect, test } from "vitest";
import type { TurnId } from "../../../core/base/ids.ts";
import type { ForestNode } from "../../../core/forest/types.ts";
import { beforeTurn } from "./before-turn.ts";

const node = (turnId: string, role: "user" | "assistant"): ForestNode =>
  ({
    turnId: turnId as TurnId,
    message: { role, content: [{ type: "text", text: `${turnId} ${role}` }] },
  }) as unknown as ForestNode;

test("a turn began with the path above its first reply, its own question among them", () => {
  const path = [
    node("1", "user"),
    node("1", "assistant"),
    node("2", "user"),
    node("2", "assistant"),
    node("2", "user"),
  ];
  expect(beforeTurn(path, "2" as TurnId)).toEqual(path.slice(0, 3));
  expect(beforeTurn(path, "3" as TurnId)).toEqual(path);
});
