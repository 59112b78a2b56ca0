import { expect, test } from "vitest";
import type { Actor } from "../base/actor.ts";
import type { ActorId, BlockId, RunId, TurnId } from "../base/ids.ts";
import type { CanvasUpdate, Message } from "../message/types.ts";
import type { PortableNode } from "./portable.ts";
import { readablePieces, type ReadableFormat } from "./readable.ts";

const ada: Actor = { type: "person", id: "ada" as ActorId, name: "Ada" };
const scribe: Actor = {
  type: "model",
  id: "scribe" as ActorId,
  name: "Scribe",
  model: "p/m",
  runId: "r" as RunId,
  turnId: "t" as TurnId,
};

function node(message: Message, actor: Actor = ada, id = "n1", parentId: string | null = null): PortableNode {
  return { id, parentId, actor, message, usage: null, createdAt: 0 };
}

function written(nodes: readonly PortableNode[], format: ReadableFormat = "text"): readonly string[] {
  const root = { title: "", systemPrompt: "" };
  return [...readablePieces({ root, nodes }, format)].join("").trimEnd().split("\n\n");
}

const update = (change: Partial<CanvasUpdate>): Message => ({
  role: "user",
  content: [{ type: "text", text: "<canvas-update/>" }],
  update: { canvasId: "c" as BlockId, from: null, to: "2-b", changedBy: [], ...change },
});

const says = (text: string): Message => ({ role: "user", content: [{ type: "text", text }] });
const picture = { mediaType: "image/png", source: { type: "url", url: "https://example.org/a.png" } } as const;

test.each<[string, Message, Actor, readonly string[]]>([
  ["a person's words", says("Hello."), ada, ["--- 1. Ada ---", "Hello."]],
  ["a canvas that is introduced", update({}), ada, ["--- 1. Ada ---", "(the canvas at revision 2-b)"]],
  [
    "a canvas that others changed",
    update({ from: "1-a", changedBy: ["Bo", "Scribe"] }),
    ada,
    ["--- 1. Ada ---", "(the canvas at revision 2-b, after 1-a, changed by Bo, Scribe)"],
  ],
  [
    "a canvas at the revision of before",
    update({ from: "2-b" }),
    ada,
    ["--- 1. Ada ---", "(the canvas at revision 2-b)"],
  ],
  [
    "an instruction, by what it asked",
    { role: "user", content: [{ type: "text", text: "Now submit." }], instruction: "submission" },
    ada,
    ["--- 1. Ada ---", "(asked for its result)"],
  ],
  [
    "the summary at the start of a continuation",
    { role: "user", content: [{ type: "text", text: "Before: much." }], instruction: "continuation" },
    ada,
    ["--- 1. Ada ---", "Before: much."],
  ],
  [
    "a reply without its thoughts",
    {
      role: "assistant",
      content: [
        { type: "thinking", text: "Hm." },
        { type: "text", text: "Yes." },
      ],
    },
    scribe,
    ["--- 1. Scribe ---", "Yes."],
  ],
  [
    "a reply that a person gave for a model",
    { role: "assistant", content: [{ type: "text", text: "Yes." }], origin: { api: "a", provider: "p", model: "m" } },
    ada,
    ["--- 1. m, given by Ada ---", "Yes."],
  ],
  [
    "a reply of no known model",
    { role: "assistant", content: [{ type: "text", text: "Yes." }] },
    ada,
    ["--- 1. assistant, given by Ada ---", "Yes."],
  ],
  [
    "a reply that was cut off",
    { role: "assistant", content: [{ type: "text", text: "Ye" }], interrupted: true },
    scribe,
    ["--- 1. Scribe ---", "Ye", "(cut off here)"],
  ],
  [
    "a reply that is empty",
    { role: "assistant", content: [{ type: "text", text: "" }] },
    scribe,
    ["--- 1. Scribe ---"],
  ],
  [
    "a call with its parameters",
    { role: "assistant", content: [{ type: "tool-use", id: "1", name: "look", parameters: { at: 1 } }] },
    scribe,
    ["--- 1. Scribe ---", "(calls look)", '{\n  "at": 1\n}'],
  ],
  [
    "a refusal",
    { role: "assistant", content: [{ type: "refusal", text: "I will not." }] },
    scribe,
    ["--- 1. Scribe ---", "(refused)", "I will not."],
  ],
  [
    "a notice of Heddle's",
    { role: "assistant", content: [{ type: "notice", text: "Stopped\nat last." }] },
    scribe,
    ["--- 1. Scribe ---", "(Stopped at last.)"],
  ],
  [
    "a result",
    { role: "tool", tool_name: "look", tool_use_id: "1", outcome: "ok", content: [{ type: "text", text: "a\n b" }] },
    scribe,
    ["--- 1. Result of look ---", "a\n b"],
  ],
  [
    "a result that is empty, and how the call ended",
    { role: "tool", tool_name: "look", tool_use_id: "1", outcome: "denied", content: [{ type: "text", text: "" }] },
    scribe,
    ["--- 1. Result of look (denied) ---", "(empty)"],
  ],
  [
    "pictures and files, with their addresses",
    {
      role: "user",
      content: [
        { type: "image", ...picture },
        { type: "file", mediaType: "application/pdf", name: "a.pdf", source: { type: "base64", data: "AA==" } },
      ],
    },
    ada,
    ["--- 1. Ada ---", "(image (image/png) https://example.org/a.png)", "(file a.pdf (application/pdf))"],
  ],
] as readonly [string, Message, Actor, readonly string[]][])(
  "people can read %s",
  (_what, message, actor, expected) => {
    expect(written([node(message, actor)])).toEqual(expected);
  },
);

test("a message that does not continue the one above says which one it continues", () => {
  const nodes = [
    node(says("One."), ada, "a"),
    node(says("Two."), ada, "b", "a"),
    node(says("Another two."), ada, "c", "a"),
    node(says("Another one."), ada, "d"),
  ];
  expect(written(nodes)).toEqual([
    "--- 1. Ada ---",
    "One.",
    "--- 2. Ada ---",
    "Two.",
    "--- 3. Ada ---",
    "(continues from 1)",
    "Another two.",
    "--- 4. Ada ---",
    "(new beginning)",
    "Another one.",
  ]);
});

test("as Markdown, what is exact is in fences that it cannot end", () => {
  const content = [{ type: "text", text: "```\nfound\n```" }] as const;
  const result = { role: "tool", tool_name: "look", tool_use_id: "1", outcome: "ok", content } as unknown as Message;
  expect(written([node(result, scribe)], "markdown")).toEqual(["## 1. Result of look", "````\n```\nfound\n```\n````"]);
});
