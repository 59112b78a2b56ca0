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
    "hermes is there",
  ),
  id: "response-template",
};

describe("how a model calls tools", () => {
  test.each<[string, Parameters<typeof toolCallingOf>, string, string]>([
    ["nothing was said", [{}, { info }, {}], "native", "serial-all"],
    ["nothing was said, and it has only text", [{}, { info: { ...info, tools: false } }, {}], "xml", "serial-one"],
    ["the server was told", [{}, { info }, { syntax: "caret" }], "caret", "serial-one"],
    [
      "its entry says otherwise",
      [{}, { info: { ...info, toolSyntax: "glm" } }, { syntax: "caret" }],
      "glm",
      "serial-one",
    ],
    [
      "the conversation says otherwise",
      [{ toolSyntax: "xml" }, { info: { ...info, toolSyntax: "glm" } }, { syntax: "caret" }],
      "xml",
      "serial-one",
    ],
    ["it brings its own", [{}, { info, syntax: own }, { syntax: "caret" }], "response-template", "serial-one"],
    [
      "the conversation chose another than its own",
      [{ toolSyntax: "caret" }, { info, syntax: own }, {}],
      "caret",
      "serial-one",
    ],
    [
      "native was chosen for one with only text",
      [{ toolSyntax: "native" }, { info: { ...info, tools: false } }, {}],
      "xml",
      "serial-one",
    ],
    ["more calls are allowed", [{}, { info }, { syntax: "xml", policy: "smart" }], "xml", "smart"],
    ["fewer calls are allowed", [{}, { info }, { policy: "serial-one" }], "native", "serial-one"],
  ])("where %s", (_name, given, syntax, policy) => {
    const calling = toolCallingOf(...given);
    expect(calling.ok ? [calling.value.syntax.id, calling.value.policy] : calling.error).toEqual([syntax, policy]);
  });

  test("a name that nobody knows is refused with those that there are", () => {
    const calling = toolCallingOf({ toolSyntax: "yaml" }, { info }, {});
    expect(calling).toMatchObject({ ok: false, error: { code: "NOT_FOUND" } });
    expect(calling.ok ? "" : calling.error.message).toMatch(/"yaml".*native, caret, xml/);
  });
});

describe("ids of calls that stand in text", () => {
  const path = (...messages: readonly Message[]) => messages.map((message) => ({ message }));

  test("begin with a number that no call of the path has", () => {
    expect(callIdPrefix(path(user("q")))).toBe("tool-1");
    expect(callIdPrefix(path(user("q"), assistant("a"), user("r")))).toBe("tool-3");
    // As in a history that was imported, or in which messages were split and deleted.
    expect(callIdPrefix(path(asking("tool-2-1", "tool-3-2"), user("r")))).toBe("tool-4");
    expect(callIdPrefix(path(asking("tool-2", "x-2-1"), user("r")))).toBe("tool-2");
  });
});
