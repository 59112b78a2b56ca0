import { expect, test } from "vitest";
import type { PersonActor } from "../../../core/base/actor.ts";
import type { ActorId, RunId, ToolCallId, TurnId } from "../../../core/base/ids.ts";
import type { Message } from "../../../core/message/types.ts";
import type { LanguageModel } from "../../../core/port/language-model.ts";
import { authorOf, modelActor, systemActor } from "./actors.ts";

const ada: PersonActor = { type: "person", id: "ada" as ActorId, name: "Ada" };
const turn = { runId: "run" as RunId, turnId: "turn" as TurnId, model: "a/b" };
const models = {
  list: () => [],
  find: (id: string) => (id === "a/b" ? ({ info: { name: "Bee" } } as LanguageModel) : undefined),
};
const model = { type: "model", id: "model:a/b", name: "Bee", model: "a/b", runId: "run", turnId: "turn" };
const content = [{ type: "text", text: "hi" }] as const;
const result = { role: "tool", tool_call_id: "call" as ToolCallId, tool_name: "t", outcome: "ok", content } as const;

test.each<readonly [what: string, message: Message, author: unknown]>([
  ["a person's message", { role: "user", content }, ada],
  ["an instruction of Heddle", { role: "user", content, instruction: "edit" }, systemActor],
  ["a system message", { role: "system", content }, ada],
  ["a reply", { role: "assistant", content }, model],
  ["a result of a tool", result, { ...model, toolCallId: "call" }],
  ["a result that Heddle wrote", { ...result, synthetic: true }, systemActor],
])("%s has its author", (_what, message, author) => {
  expect(authorOf(message, ada, turn, models)).toEqual(author);
});

test("a model that is gone is named by its id", () => {
  expect(modelActor({ ...turn, model: "x/gone" }, models).name).toBe("x/gone");
});
