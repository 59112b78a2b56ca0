import { describe, expect, test } from "vitest";
import { refusal } from "../../../../src/core/base/errors.ts";
import { messageUnitsMax } from "../../../../src/core/protocol/base/limits.ts";
import { readCommand } from "../../../../src/core/protocol/read-command.ts";
import { refusalWords } from "./refusal-words.ts";

describe("what a person reads of a refusal", () => {
  test("names the bound where something is too long", () => {
    const text = "x".repeat(messageUnitsMax + 1);
    const read = readCommand("message.send", { rootId: "root_1", parentNodeId: null, text, clientRequestId: "r1" });
    expect(read.ok ? "taken" : refusalWords(read.error)).toBe(
      "This is too long or too large. The limit is 400,000. Nothing was changed.",
    );
  });

  test.each([
    refusal("NODE_NOT_FOUND"),
    refusal("INVALID_PARAMS"),
    refusal("INVALID_PARAMS", { issues: [] }),
    refusal("INVALID_PARAMS", { issues: [{ path: "text", expected: "string" }] }),
    refusal("NODE_NOT_FOUND", { issues: [{ path: "text", expected: "<=5" }] }),
  ])("is else its own sentence: %j", (refused) => {
    expect(refusalWords(refused)).toBe(refused.message);
  });
});
