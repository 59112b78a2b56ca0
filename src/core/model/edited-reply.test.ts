import { describe, expect, test } from "vitest";
import { noUsage } from "../message/usage.ts";
import { assemble, assembledMessage, emptyAssembly, type Assembly } from "./assemble.ts";
import { withEdits } from "./edited-reply.ts";
import type { StreamPart } from "./stream-part.ts";

const origin = { api: "a", provider: "p", model: "m" };
const native = { api: "a", data: { id: "item" } };
const parts: readonly StreamPart[] = [
  { type: "thinking-start", index: 0 },
  { type: "thinking-delta", index: 0, text: "first" },
  { type: "thinking-end", index: 0, signature: "s0", native },
  { type: "text-start", index: 1 },
  { type: "text-delta", index: 1, text: "words" },
  { type: "text-end", index: 1, native },
  { type: "thinking-start", index: 2 },
  { type: "thinking-delta", index: 2, text: "second" },
  { type: "thinking-end", index: 2, signature: "s2", native },
  { type: "thinking-start", index: 3 },
  { type: "thinking-end", index: 3, redacted: "sealed" },
  { type: "tool-call-start", index: 4, id: "c", name: "look" },
  { type: "tool-call-delta", index: 4, text: '{"at":1}' },
  { type: "tool-call-end", index: 4, native },
  { type: "finished", reason: "tool-use", usage: noUsage },
];
const reply: Assembly = parts.reduce(assemble, emptyAssembly);
const call = { type: "tool-use", id: "c", name: "look", parameters: { at: 1 }, rawParameters: '{"at":1}', native };

function edited(edits: Readonly<Record<number, string>>, api = "a"): unknown {
  const byPart = new Map(Object.entries(edits).map(([part, text]) => [Number(part), { text, by: "Ann" }]));
  return assembledMessage(withEdits(reply, byPart, api), origin)?.content;
}

describe("withEdits", () => {
  test("K-75 a changed text is plain text; thinking before it stays whole, thinking after it is for people only", () => {
    expect(edited({ 1: "WORDS" })).toEqual([
      { type: "thinking", text: "first", signature: "s0", native },
      { type: "text", text: "WORDS" },
      { type: "thinking", text: "second", unsent: true },
      call,
    ]);
  });

  test("K-75 an OpenAI reasoning item goes with the product that was changed, and no other", () => {
    expect(edited({ 1: "WORDS" }, "openai-responses")).toMatchObject([
      { type: "thinking", text: "first", unsent: true },
      { type: "text" },
      { unsent: true },
      { type: "tool-use" },
    ]);
    expect(edited({ 4: '{"at":2}' }, "openai-responses")).toEqual([
      { type: "thinking", text: "first", signature: "s0", native },
      { type: "text", text: "words", native },
      { type: "thinking", text: "second", unsent: true },
      { type: "tool-use", id: "c", name: "look", parameters: { at: 2 }, rawParameters: '{"at":2}', editedBy: "Ann" },
    ]);
  });

  test("K-72 changed arguments are read again, and say whose they are when they cannot be read", () => {
    expect(edited({ 4: '{"at":' })).toMatchObject([
      { type: "thinking", signature: "s0" },
      { type: "text", native },
      { type: "thinking", signature: "s2" },
      { type: "thinking", redacted: "sealed" },
      {
        type: "tool-use",
        parameters: {},
        rawParameters: '{"at":',
        argumentsError: "The arguments were edited by Ann and cannot be read.",
        editedBy: "Ann",
      },
    ]);
  });

  test("a reply that nobody changed is as it was", () => {
    expect(withEdits(reply, new Map(), "a")).toBe(reply);
  });

  test("a text that a person emptied is left out", () => {
    expect(edited({ 1: "" })).toMatchObject([{ text: "first" }, { unsent: true }, { type: "tool-use" }]);
  });
});
