import { expect, test } from "vitest";
import type { ToolCallId } from "../base/ids.ts";
import type { JsonObject } from "../base/json.ts";
import { assistant, user } from "../message/message.test-support.ts";
import type { Message } from "../message/types.ts";
import { familiesInUse } from "./families-in-use.ts";

const calling = (name: string, parameters: JsonObject = {}): Message => ({
  role: "assistant",
  content: [{ type: "tool-use", id: "c" as ToolCallId, name, parameters }],
});
const block = "doc_0123abcd/1/1";

test.each<[what: string, message: Message, families: readonly string[]]>([
  ["a call of a block tool", calling("block_list"), ["blocks"]],
  ["a call of a block tool by its dotted name", calling("block.list"), ["blocks"]],
  ["asking for block tools", calling("more_tools", { families: ["blocks"] }), ["blocks"]],
  ["asking for other tools", calling("more_tools", { families: ["canvas"] }), []],
  ["asking for nothing readable", calling("more_tools", { families: "blocks" }), []],
  ["another tool with the same parameters", calling("read_files", { families: ["blocks"] }), []],
  ["a person who names a block", user(`Look at ${block}.`), ["blocks"]],
  ["a person who names a block tool", user("Use kernel_search."), ["blocks"]],
  ["a person who speaks of other things", user("Look at the fox, line 1/1."), []],
  ["a model that names a block", assistant(`See ${block}.`), []],
  [
    "what Heddle says of a canvas",
    { ...user(`${block} has changed.`), update: { state: "x" } } as unknown as Message,
    [],
  ],
  [
    "what Heddle tells a model to do",
    { ...user(`Go on in ${block}.`), instruction: "continue" } as unknown as Message,
    [],
  ],
  ["a call of a comment tool", calling("comment_list"), ["comments"]],
  ["a person who speaks of comments", user("Answer my comments."), ["comments"]],
  ["a person who names a comment by its id", user("What about c1a2b3c4?"), ["comments"]],
  ["a word as long as a comment's id", user("The children cried."), []],
])("%s", (_what, message, families) => {
  expect([...familiesInUse([message])]).toEqual(families);
  // Read again, it says the same.
  expect([...familiesInUse([message, message])]).toEqual(families);
});
