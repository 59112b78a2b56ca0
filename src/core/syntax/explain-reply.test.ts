import { expect, test } from "vitest";
import { explainReply } from "./explain-reply.ts";
import { caret } from "./grammars/caret.ts";
import { native } from "./grammars/native.ts";
import { xml } from "./grammars/xml.ts";
import { tools } from "./base/syntax.test-support.ts";

const options = { tools, policy: "serial-all" } as const;

test("explainReply reports what looked like a call, with its line and the reason", () => {
  const reply =
    "<think>\n^^^list_files\n</think>\nsee ^^^list_projects\n```\n^^^list_projects\n^^^\n```\n^^^list_projects\n^^^\n";
  const { fragments, remarks } = explainReply(caret, reply, options);
  expect(fragments.filter((one) => one.type === "call-end")).toHaveLength(1);
  expect(remarks).toEqual([
    { line: 2, text: "^^^list_files", why: "This is inside the reasoning." },
    { line: 4, text: "^^^list_projects", why: "A call must begin in the first column of a line." },
    { line: 6, text: "^^^list_projects", why: "This is inside a fenced code block." },
  ]);
  expect(explainReply(xml, "`<tool:list_projects></tool:list_projects>`", options).remarks).toMatchObject([
    { why: "This is inside a code span or a block quote." },
  ]);
});

test("explainReply in the native syntax reads everything as text", () => {
  expect(explainReply(native, "^^^list_projects\n^^^", options)).toMatchObject({
    fragments: [{ type: "text" }],
    remarks: [],
  });
});
