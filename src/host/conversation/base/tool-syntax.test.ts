import { describe, expect, test } from "vitest";
import { asking, assistant, user } from "../../../core/message/message.test-support.ts";
import type { Message } from "../../../core/message/types.ts";
import { syntaxes } from "../../../core/syntax/registry.ts";
import { must } from "../../../core/base/assert.ts";
import { callIdPrefix, toolCallingOf } from "./tool-syntax.ts";
import { info } from "../queue/conversation.test-support.ts";

const own = {
  ...must(
    syntaxes.find(({ id }) => id === "hermes"),
    "hermes is available",
  ),
  id: "response-template",
};

describe("toolCallingOf", () => {
  test.each<[string, Parameters<typeof toolCallingOf>, string, string]>([
    ["nothing is set", [{}, { info }, {}], "native", "serial-all"],
    [
      "nothing is set and the model cannot call natively",
      [{}, { info: { ...info, tools: false } }, {}],
      "xml",
      "serial-one",
    ],
    ["the server sets a syntax", [{}, { info }, { syntax: "caret" }], "caret", "serial-one"],
    [
      "the catalogue entry sets a syntax",
      [{}, { info: { ...info, toolSyntax: "glm" } }, { syntax: "caret" }],
      "glm",
      "serial-one",
    ],
    [
      "the conversation sets a syntax",
      [{ toolSyntax: "xml" }, { info: { ...info, toolSyntax: "glm" } }, { syntax: "caret" }],
      "xml",
      "serial-one",
    ],
    [
      "the model brings its own syntax",
      [{}, { info, syntax: own }, { syntax: "caret" }],
      "response-template",
      "serial-one",
    ],
    [
      "the conversation overrides the model's own syntax",
      [{ toolSyntax: "caret" }, { info, syntax: own }, {}],
      "caret",
      "serial-one",
    ],
    [
      "native is set for a model that cannot call natively",
      [{ toolSyntax: "native" }, { info: { ...info, tools: false } }, {}],
      "xml",
      "serial-one",
    ],
    [
      "15.9 the chat template of a model that cannot call natively shows a syntax",
      [{}, { info: { ...info, tools: false, proposedSyntax: "glm" } }, {}],
      "glm",
      "serial-one",
    ],
    [
      "15.9 the chat template of a model that calls natively shows a syntax",
      [{}, { info: { ...info, tools: true, proposedSyntax: "glm" } }, {}],
      "native",
      "serial-all",
    ],
    [
      "15.9 the template shows a syntax, and the server sets another",
      [{}, { info: { ...info, tools: false, proposedSyntax: "glm" } }, { syntax: "caret" }],
      "caret",
      "serial-one",
    ],
    [
      "15.8 the conversation names a syntax of the data folder",
      [{ toolSyntax: "mine" }, { info }, { syntaxes: [{ ...own, id: "mine", rounds: "parallel" }] }],
      "mine",
      "parallel",
    ],
    ["the server allows more calls", [{}, { info }, { syntax: "xml", policy: "smart" }], "xml", "smart"],
    ["the server allows fewer calls", [{}, { info }, { policy: "serial-one" }], "native", "serial-one"],
  ])("where %s", (_name, given, syntax, policy) => {
    const calling = toolCallingOf(...given);
    expect(calling.ok ? [calling.value.syntax.id, calling.value.policy] : calling.error).toEqual([syntax, policy]);
  });

  test("an unknown syntax name is refused with the known names", () => {
    const calling = toolCallingOf({ toolSyntax: "yaml" }, { info }, {});
    expect(calling).toMatchObject({ ok: false, error: { code: "NOT_FOUND" } });
    expect(calling.ok ? "" : calling.error.message).toMatch(/"yaml".*native, caret, xml/);
  });
});

describe("ids of calls in text", () => {
  const path = (...messages: readonly Message[]) => messages.map((message) => ({ message }));

  test("begin with a number that no call of the path has", () => {
    expect(callIdPrefix(path(user("q")))).toBe("tool-1");
    expect(callIdPrefix(path(user("q"), assistant("a"), user("r")))).toBe("tool-3");
    // As in an imported history, or after messages were split and deleted.
    expect(callIdPrefix(path(asking("tool-2-1", "tool-3-2"), user("r")))).toBe("tool-4");
    expect(callIdPrefix(path(asking("tool-2", "x-2-1"), user("r")))).toBe("tool-2");
  });
});

test("15.2 a reply begins inside the reasoning where the model's template has opened it", () => {
  expect(toolCallingOf({}, { info, startsInReasoning: true }, {})).toMatchObject({ value: { startIn: "reasoning" } });
  expect(toolCallingOf({}, { info }, {})).not.toHaveProperty("value.startIn");
});
