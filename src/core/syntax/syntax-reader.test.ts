import { describe, expect, test } from "vitest";
import { must } from "../base/assert.ts";
import { toolUses } from "../message/content.ts";
import { noUsage } from "../message/usage.ts";
import type { AssistantMessage, Message, ToolUseBlock } from "../message/types.ts";
import { assemble, assembledMessage, emptyAssembly, partialMessage, type Assembly } from "../model/assemble.ts";
import type { StopReason, StreamPart } from "../model/stream-part.ts";
import { encodeHistory, encodeRequestFor } from "./write/encode-request.ts";
import { messageFragments, shownFragments } from "./message-fragments.ts";
import type { CallPolicy } from "../forest/run-rules.ts";
import { defaultSyntax, findSyntax, syntaxes } from "./registry.ts";
import { scan } from "./scan.ts";
import { syntaxReader } from "./syntax-reader.ts";
import { tools } from "./base/syntax.test-support.ts";
import type { Syntax } from "./base/syntax.ts";

const origin = { api: "a", provider: "p", model: "m" };
const syntaxOf = (id: string): Syntax =>
  must(
    syntaxes.find((one) => one.id === id),
    id,
  );
const textSyntaxIds = syntaxes.filter((one) => one.grammar !== null).map((one) => one.id);

interface Run {
  readonly policy?: CallPolicy;
  readonly reason?: StopReason;
}

/** Assembles a reply from pieces of one size, as the host does. */
function assembled(id: string, parts: readonly StreamPart[], { policy = "serial-all" }: Run = {}): Assembly {
  const reader = syntaxReader(syntaxOf(id), { tools, policy, callIdPrefix: "tool-123" });
  return parts.flatMap((part) => reader.read(part)).reduce(assemble, emptyAssembly);
}

function textParts(text: string, size = 3, reason: StopReason = "end-turn"): readonly StreamPart[] {
  const deltas = Array.from({ length: Math.ceil(text.length / size) }, (_, n): StreamPart => {
    return { type: "text-delta", index: 0, text: text.slice(n * size, (n + 1) * size) };
  });
  return [
    { type: "text-start", index: 0 },
    ...deltas,
    { type: "text-end", index: 0 },
    { type: "finished", reason, usage: noUsage },
  ];
}

function messageOf(id: string, text: string, run: Run = {}, size = 3): AssistantMessage | null {
  return assembledMessage(assembled(id, textParts(text, size, run.reason), run), origin);
}

function callsOf(message: AssistantMessage | null): readonly ToolUseBlock[] {
  return message === null ? [] : toolUses(message);
}

const call = "^^^list_files\nproject: p\n^^^";
const write = "^^^write_file\npath: a\ncontent ---\nx\ny\n--- content\n^^^";

describe("syntaxReader", () => {
  test.each([1, 2, 5, 1_000])("syntaxReader turns a stream into text, thinking and calls, in pieces of %d", (size) => {
    expect(messageOf("caret", `<think>hm</think>\nHi\n${call}\n${write}`, {}, size)?.content).toEqual([
      { type: "thinking", text: "hm" },
      { type: "text", text: "\nHi\n" },
      {
        type: "tool-use",
        id: "tool-123-1",
        name: "list_files",
        parameters: { project: "p" },
        rawParameters: '{"project":"p"}',
      },
      { type: "text", text: "\n" },
      {
        type: "tool-use",
        id: "tool-123-2",
        name: "write_file",
        parameters: { path: "a", content: "x\ny" },
        rawParameters: '{"path":"a","content":"x\\ny"}',
      },
    ]);
  });

  test("T-01 the first call of request 123 has the id tool-123-1, and the reply ends with tool-use", () => {
    const end = assembled("caret", textParts("^^^list_projects\n^^^")).end;
    expect(end).toMatchObject({ type: "finished", reason: "tool-use" });
    expect(callsOf(messageOf("caret", "^^^list_projects\n^^^")).map((one) => one.id)).toEqual(["tool-123-1"]);
  });

  test("text arguments stream as they grow, list arguments come once judged", () => {
    const reader = syntaxReader(syntaxOf("xml"), { tools, policy: "serial-all", callIdPrefix: "c" });
    const deltas = (text: string): readonly string[] =>
      reader
        .read({ type: "text-delta", index: 0, text })
        .flatMap((part) => (part.type === "tool-call-delta" ? [part.text] : []));
    expect(deltas("<tool:write_file><param:path>a</param:path><param:content>li").join("")).toBe(
      '{"path":"a","content":"li',
    );
    expect(deltas('ne "1"\n')).toEqual(['ne \\"1\\"\\n']);
    expect(deltas("</param:content><param:append>TRUE</param:append></tool:write_file>").join("")).toBe(
      '","append":true}',
    );
  });

  test.each<[string, string, StopReason, string]>([
    ["an unknown tool", "^^^unknown_tool\n^^^", "end-turn", "Unknown tool: unknown_tool"],
    ["a cut reply", "^^^write_file\ncontent ---\nx", "max-tokens", "the reply ended inside the parameter content"],
    [
      "a value of the wrong type",
      "^^^write_file\nappend: yes\n^^^",
      "end-turn",
      "the parameter append must be true or false",
    ],
  ])("T-09 %s becomes a call that cannot run and says why", (_name, text, reason, message) => {
    const [first] = callsOf(messageOf("caret", text, { reason }));
    expect(first?.argumentsError).toContain(message);
    expect(first?.native).toMatchObject({ api: "syntax/caret", data: { raw: text } });
  });

  test("T-19 serial-one keeps thinking and the text up to the call, and drops later text", () => {
    const parts: readonly StreamPart[] = [
      { type: "thinking-start", index: 0 },
      { type: "thinking-delta", index: 0, text: "t" },
      { type: "thinking-end", index: 0, signature: "s" },
      { type: "text-start", index: 1 },
      { type: "text-delta", index: 1, text: `Look\n${call}\n` },
      { type: "text-end", index: 1 },
      { type: "text-start", index: 2 },
      { type: "text-delta", index: 2, text: "More" },
      { type: "text-end", index: 2 },
      { type: "finished", reason: "end-turn", usage: noUsage },
    ];
    const message = assembledMessage(assembled("caret", parts, { policy: "serial-one" }), origin);
    expect(message?.content.map((block) => (block.type === "text" ? block.text : block.type))).toEqual([
      "thinking",
      "Look\n",
      "tool-use",
    ]);
  });

  test("T-27 smart shows text between reads once the next call is allowed or the reply ends, and drops it before a write", () => {
    const said = (text: string): readonly string[] =>
      (messageOf("caret", text, { policy: "smart" })?.content ?? []).map((block) =>
        block.type === "text" ? block.text : block.type,
      );
    expect(said(`${call}\nso\n${call}`)).toEqual(["tool-use", "\nso\n", "tool-use"]);
    expect(said(`${call}\nso\n${write}`)).toEqual(["tool-use"]);
    expect(said(`${call}\nso`)).toEqual(["tool-use", "\nso"]);
  });

  test("T-26 a reply that the policy ended finishes with tool-use, and the rest of the stream is not read", () => {
    const reader = syntaxReader(syntaxOf("caret"), { tools, policy: "serial-one", callIdPrefix: "c" });
    const parts = reader.read({ type: "text-delta", index: 0, text: `${write}\nmore` });
    expect(parts.at(-1)).toEqual({ type: "finished", reason: "tool-use", usage: noUsage });
    expect(reader.read({ type: "text-delta", index: 0, text: call })).toEqual([]);
    expect(reader.read({ type: "finished", reason: "end-turn", usage: noUsage })).toEqual([]);
  });

  test("a failed stream keeps its text and complete calls, and drops an open call", () => {
    const failure = { class: "network", message: "gone", retryable: true } as const;
    const parts: readonly StreamPart[] = [
      { type: "text-start", index: 0 },
      { type: "text-delta", index: 0, text: `${call}\nand\n^^^write_file\npath: a\n` },
      { type: "failed", failure },
    ];
    const message = partialMessage(assembled("caret", parts), origin);
    expect(callsOf(message).map((one) => one.name)).toEqual(["list_files"]);
  });

  test("a call only in reasoning gets an error; one followed by an answer is ignored", () => {
    const thought = "<think><tool:list_projects></tool:list_projects></think>";
    expect(callsOf(messageOf("xml", thought))[0]?.argumentsError).toContain("inside the reasoning");
    expect(callsOf(messageOf("xml", `${thought}\nHere you are.`))).toEqual([]);
  });

  test("native calls pass unchanged; the policy ends the reply before the second", () => {
    const parts: readonly StreamPart[] = [
      { type: "text-delta", index: 0, text: call },
      { type: "tool-call-start", index: 1, id: "x", name: "list_files" },
      { type: "tool-call-end", index: 1 },
      { type: "tool-call-start", index: 2, id: "y", name: "list_files" },
    ];
    const reader = syntaxReader(syntaxOf("native"), { tools, policy: "serial-one", callIdPrefix: "c" });
    const read = parts.flatMap((part) => reader.read(part));
    expect(read).toEqual([...parts.slice(0, 3), { type: "finished", reason: "tool-use", usage: noUsage }]);
    const all = syntaxReader(syntaxOf("native"), { tools, policy: "serial-all", callIdPrefix: "c" });
    expect(parts.flatMap((part) => all.read(part))).toEqual(parts);
  });
});

describe("encodeRequestFor", () => {
  const history: readonly Message[] = [
    { role: "user", content: [{ type: "text", text: `Do ${call}` }] },
    {
      role: "assistant",
      content: [
        { type: "text", text: "Sure" },
        {
          type: "tool-use",
          id: "1" as ToolUseBlock["id"],
          name: "list_files",
          parameters: { project: "p", paths: ["a", "b"] },
        },
        {
          type: "tool-use",
          id: "2" as ToolUseBlock["id"],
          name: "write_file",
          parameters: { path: "a", content: "^^^\n</tool:x>" },
        },
      ],
    },
    {
      role: "tool",
      tool_call_id: "1" as ToolUseBlock["id"],
      tool_name: "list_files",
      outcome: "ok",
      content: [{ type: "text", text: call }],
    },
    {
      role: "tool",
      tool_call_id: "2" as ToolUseBlock["id"],
      tool_name: "write_file",
      outcome: "error",
      content: [
        { type: "text", text: "see" },
        { type: "image", mediaType: "image/png", source: { type: "base64", data: "AA==" } },
      ],
    },
  ];
  const request = {
    model: "m",
    system: "Be kind.",
    messages: history,
    tools: tools.slice(0, 2),
    maxTokens: 10,
    thinking: "off",
  } as const;

  test("encodeRequestFor in the native syntax returns the request unchanged", () => {
    expect(encodeRequestFor(syntaxOf("native"), request, tools, "serial-all")).toBe(request);
  });

  test.each(textSyntaxIds)(
    "encodeRequestFor in %s sends no tools and no tool messages; calls become text that reads back, results the user's text",
    (id) => {
      const encoded = encodeRequestFor(syntaxOf(id), request, tools, "serial-one");
      expect(encoded.tools).toEqual([]);
      expect(encoded.system).toMatch(/^Be kind\.\n\n# Tools\n/);
      expect(encoded.messages.map((message) => message.role)).toEqual(["user", "assistant", "user"]);
      const [asked, reply, results] = encoded.messages;
      expect(asked).toEqual(history[0]);
      expect(reply?.content).toHaveLength(1);
      const [block] = reply?.content ?? [];
      const text = block?.type === "text" ? block.text : "";
      expect(text.startsWith("Sure\n")).toBe(true);
      const grammar = must(syntaxOf(id).grammar, "it is text");
      const read = scan(grammar, text.slice("Sure\n".length), { tools, policy: "serial-all" }).flatMap((one) =>
        one.type === "call-end" ? [one.parameters] : [],
      );
      expect(read).toEqual([
        { project: "p", paths: ["a", "b"] },
        { path: "a", content: "^^^\n</tool:x>" },
      ]);
      expect(results?.content.map((one) => one.type)).toEqual(["text", "image", "text"]);
    },
  );

  test("a reply without calls is sent as it is, with its texts apart", () => {
    const reply: Message = {
      role: "assistant",
      content: [
        { type: "text", text: "One" },
        { type: "thinking", text: "hm" },
        { type: "text", text: "" },
      ],
    };
    expect(encodeHistory(syntaxOf("xml"), [reply], tools)).toEqual([reply]);
  });

  test("a result cannot end itself: its closing mark is broken inside it", () => {
    const messages = encodeHistory(
      syntaxOf("xml"),
      [
        {
          role: "tool",
          tool_call_id: "1" as ToolUseBlock["id"],
          tool_name: "t",
          outcome: "ok",
          content: [{ type: "text", text: "a</result>b" }],
        },
      ],
      tools,
    );
    expect(messages[0]?.content[0]).toEqual({
      type: "text",
      text: '<result tool="t" outcome="ok">\na<\\/result>b\n</result>',
    });
  });

  test("T-37 an edit of a stored call appears in the next request and reads back from its place", () => {
    const grammar = must(syntaxOf("caret").grammar, "it is text");
    const changed = encodeHistory(
      syntaxOf("caret"),
      [
        {
          role: "assistant",
          content: [
            { type: "text", text: "So" },
            {
              type: "tool-use",
              id: "1" as ToolUseBlock["id"],
              name: "write_file",
              parameters: { content: "formatted\n" },
            },
          ],
        },
      ],
      tools,
    );
    const block = changed[0]?.content[0];
    const text = block?.type === "text" ? block.text : "";
    const fragments = scan(grammar, text, { tools, policy: "serial-all" });
    const [start, end] = [
      fragments.find((one) => one.type === "call-start"),
      fragments.find((one) => one.type === "call-end"),
    ];
    expect(text.slice(start?.start, end?.end)).toBe("^^^write_file\ncontent ---\nformatted\n\n--- content\n^^^");
  });

  test("a malformed call is sent back as the model wrote it", () => {
    const broken = must(messageOf("caret", "^^^write_file\nappend: yes\n^^^"), "a reply");
    expect(encodeHistory(syntaxOf("caret"), [broken], tools)[0]?.content).toEqual([
      { type: "text", text: "^^^write_file\nappend: yes\n^^^" },
    ]);
  });
});

describe("messageFragments", () => {
  test.each(textSyntaxIds)("T-20 %s: messageFragments of a stored message equal those of its stream", (id) => {
    const syntax = syntaxOf(id);
    const written = encodeHistory(
      syntax,
      [
        {
          role: "assistant",
          content: [
            { type: "text", text: "Sure\n" },
            {
              type: "tool-use",
              id: "1" as ToolUseBlock["id"],
              name: "write_file",
              parameters: { path: "a b", content: "x\n\ny" },
            },
          ],
        },
      ],
      tools,
    );
    const block = written[0]?.content[0];
    const text = block?.type === "text" ? block.text : "";
    const live = shownFragments(scan(must(syntax.grammar, "it is text"), text, { tools, policy: "serial-all" }));
    expect(messageFragments(must(messageOf(id, text), "a reply"), tools)).toEqual(live);
  });

  test("T-28 messageFragments shows a call of a hidden tool as one fragment", () => {
    const message = must(messageOf("caret", "^^^update_plan\nplan: x\n^^^"), "a reply");
    expect(messageFragments(message, tools).map((one) => one.type)).toEqual(["hidden-call"]);
  });

  test("T-29 a user's message and a tool's result that hold a call are text", () => {
    const user: Message = { role: "user", content: [{ type: "text", text: call }] };
    const tool: Message = {
      role: "tool",
      tool_call_id: "1" as ToolUseBlock["id"],
      tool_name: "t",
      outcome: "ok",
      content: [{ type: "text", text: write }],
    };
    expect(messageFragments(user, tools)).toEqual([{ type: "text", text: call }]);
    expect(messageFragments(tool, tools)).toEqual([{ type: "text", text: write }]);
  });

  test("T-30 messageFragments shows a stored call as name, parameters and end, in any syntax", () => {
    const message: Message = {
      role: "assistant",
      content: [
        { type: "tool-use", id: "1" as ToolUseBlock["id"], name: "search_files", parameters: { regex: "x", limit: 2 } },
      ],
    };
    expect(messageFragments(message, tools).map((one) => ("text" in one ? one.text : one.type))).toEqual([
      "call-start",
      "parameter-start",
      "x",
      "parameter-end",
      "parameter-start",
      "2",
      "parameter-end",
      "call-end",
    ]);
  });
});

describe("the prompt and the choice of a syntax", () => {
  test("T-34 the prompt lists a tool's header, description, parameters (required first, marked once) and an example", () => {
    const tool = {
      name: "look",
      description: "Looks.",
      inputSchema: {
        type: "object",
        properties: {
          depth: { type: "integer" },
          paths: { type: "array", items: { type: "string" }, description: "(required) Where." },
        },
        required: ["paths"],
      },
    } as const;
    const section = encodeRequestFor(
      syntaxOf("caret"),
      { model: "m", system: "", messages: [], tools: [], maxTokens: 1, thinking: "off" },
      [tool],
      "serial-one",
    ).system;
    expect(section.slice(section.indexOf("## look"))).toBe(
      "## look\n\nLooks.\n\nParameters:\n- paths (required): a list. Where.\n- depth: a whole number\n\nUsage:\n\n^^^look\npaths: [\nthe path 1\nthe path 2\n]\ndepth: 1\n^^^".replace(
        "Usage:\n\n",
        "Usage:\n",
      ),
    );
  });

  test("T-36 an optional parameter at its default is omitted, another value is written", () => {
    const text = (append: boolean): string => {
      const [message] = encodeHistory(
        syntaxOf("caret"),
        [
          {
            role: "assistant",
            content: [
              {
                type: "tool-use",
                id: "1" as ToolUseBlock["id"],
                name: "write_file",
                parameters: { path: "a", append },
              },
            ],
          },
        ],
        tools,
      );
      const block = message?.content[0];
      return block?.type === "text" ? block.text : "";
    };
    expect(text(false)).toBe("^^^write_file\npath: a\n^^^");
    expect(text(true)).toBe("^^^write_file\npath: a\nappend: true\n^^^");
  });

  test("the default syntax is native calls or XML; a mistyped id names the nearest", () => {
    expect([defaultSyntax(true).id, defaultSyntax(false).id]).toEqual(["native", "xml"]);
    const found = findSyntax(syntaxes, "carret");
    expect(found.ok ? "" : found.error.message).toContain("Did you mean caret?");
    expect(new Set(syntaxes.map((one) => one.id)).size).toBe(syntaxes.length);
  });
});

test("a call runs with the judged parameters, even when JSON encodes a text", () => {
  const parametersOf = (id: string, text: string): readonly unknown[] =>
    toolUses(must(messageOf(id, text), "a reply")).map(({ parameters }) => parameters);
  expect(parametersOf("caret", '^^^write_file\npath: a\ncontent: !json "a\\r\\nb"\n^^^')).toEqual([
    { path: "a", content: "a\r\nb" },
  ]);
  expect(
    parametersOf(
      "hermes",
      '<tool_call>{"name": "search_files", "arguments": {"project": null, "regex": "a"}}</tool_call>',
    ),
  ).toEqual([{ regex: "a" }]);
});

test("a native call is complete before the policy ends the reply, even when calls end together", () => {
  const start = (index: number): StreamPart => {
    return { type: "tool-call-start", index, id: `call-${index}`, name: "search_files" };
  };
  const delta = (index: number): StreamPart => ({ type: "tool-call-delta", index, text: `{"regex":"${index}"}` });
  const end = (index: number): StreamPart => ({ type: "tool-call-end", index });
  const finished: StreamPart = { type: "finished", reason: "tool-use", usage: { ...noUsage, inputTokens: 7 } };
  const parts = [start(0), delta(0), start(1), delta(1), end(0), end(1), finished];
  const ended = assembled("native", parts, { policy: "serial-one" });
  const calls = toolUses(must(assembledMessage(ended, origin), "a reply"));
  expect(calls.map(({ parameters }) => parameters)).toEqual([{ regex: "0" }]);
  expect(ended.end).toMatchObject({ type: "finished", reason: "tool-use" });
  const without = [start(0), delta(0), start(1), delta(1), finished];
  expect(assembled("native", without, { policy: "serial-one" }).end).toMatchObject({ usage: { inputTokens: 7 } });
});

test("a reply with more than 256 calls in its text fails, and the rest is not read", () => {
  const calls = (count: number): Assembly =>
    assembled("xml", textParts("<tool:list_projects></tool:list_projects>\n".repeat(count), 10_000));
  expect(calls(256).end.type).toBe("finished");
  const { end, blocks } = calls(5_000);
  expect(end).toMatchObject({ failure: { message: "The reply holds more than 256 tool calls." } });
  expect(blocks.filter(({ type }) => type === "tool-call")).toHaveLength(256);
});
