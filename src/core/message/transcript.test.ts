import { describe, expect, test } from "vitest";
import { asking, assistant, result, user } from "./message.test-support.ts";
import { checkRequest, checkTranscript, openCalls } from "./transcript.ts";
import type { Message } from "./types.ts";

const verdict = (messages: readonly Message[]): string => {
  const checked = checkTranscript(messages);
  return checked.ok ? "ok" : checked.error.code;
};

describe("checkTranscript", () => {
  test.each<[string, readonly Message[], string]>([
    ["nothing", [], "ok"],
    ["question and answer", [user("q"), assistant("a")], "ok"],
    ["two questions in a row", [user("q"), user("r")], "ok"],
    ["a round of two calls", [user("q"), asking("a", "b"), result("a"), result("b"), assistant("x")], "ok"],
    ["an empty result", [user("q"), asking("a"), result("a", "")], "ok"],
    ["TR1 a call without a result at the end", [user("q"), asking("a", "b"), result("a")], "TOOL_RESULT_UNPAIRED"],
    ["TR1 something between call and result", [asking("a"), user("q"), result("a")], "TOOL_RESULT_UNPAIRED"],
    [
      "B-39 a result five messages after its call",
      [asking("a"), user("q"), assistant("b"), user("c"), assistant("d"), user("e"), result("a")],
      "TOOL_RESULT_UNPAIRED",
    ],
    ["TR1 two results of one call", [asking("a"), result("a"), result("a")], "TOOL_RESULT_UNPAIRED"],
    ["TR1 two calls of one id", [asking("a", "a"), result("a"), result("a")], "TOOL_RESULT_UNPAIRED"],
    ["TR2 a result without a call", [user("q"), result("a")], "TOOL_RESULT_UNPAIRED"],
    ["TR3 results in another order", [asking("a", "b"), result("b"), result("a")], "TOOL_RESULT_UNPAIRED"],
    ["TR5 an empty text", [user("")], "MESSAGE_INVALID"],
    ["TR5 empty thinking", [{ role: "assistant", content: [{ type: "thinking", text: "" }] }], "MESSAGE_INVALID"],
    [
      "TR5 empty thinking that is signed",
      [{ role: "assistant", content: [{ type: "thinking", text: "", signature: "s" }] }],
      "ok",
    ],
  ])("checkTranscript of %s", (_name, messages, expected) => {
    expect(verdict(messages)).toBe(expected);
  });

  test("TR4 checkRequest accepts a history only when the model has something to answer", () => {
    expect(checkRequest([user("q")]).ok).toBe(true);
    expect(checkRequest([user("q"), asking("a"), result("a")]).ok).toBe(true);
    expect(checkRequest([]).ok).toBe(false);
    expect(checkRequest([user("q"), assistant("a")]).ok).toBe(false);
    expect(checkRequest([user("q"), asking("a")]).ok).toBe(false);
  });

  test("B-39 the refusal of checkRequest names the call without a result", () => {
    const checked = checkRequest([user("q"), asking("a"), user("r")]);
    expect(checked.ok ? "" : JSON.stringify(checked.error)).toContain('"a"');
  });

  test("openCalls returns the calls that wait for a result", () => {
    const open = openCalls([user("q"), asking("a", "b", "c"), result("a")]);
    expect(open.ok ? open.value.map((call) => call.id) : open.error).toEqual(["b", "c"]);
  });
});
