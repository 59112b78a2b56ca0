import { expect, test } from "vitest";
import { serverToolKinds } from "../../src/core/model/server-tool.ts";
import type { Message } from "../../src/core/message/types.ts";
import { accepted } from "../../src/host/canvas/canvas.test-support.ts";
import { openWiredStudios } from "./wired-studio.ts";
import { requestOf, wires } from "./wires.ts";

const question: Message = { role: "user", content: [{ type: "text", text: "Where?" }] };
const serverTools = serverToolKinds.map((kind) => ({ kind, stores: kind === "file-search" ? ["store_1"] : [] }));

test.each<[string, readonly string[]]>([
  ["Claude 4.8", ["web_search_20250305", "code_execution_20250825", "web_fetch_20250910"]],
  ["Responses, gpt-5.4", ["web_search", "code_interpreter", "file_search"]],
  ["Gemini 3", ["googleSearch", "codeExecution", "urlContext", "fileSearch"]],
  ["Gemini 2.5", []],
  ["Interactions, Gemini 3", ["google_search", "code_execution", "url_context", "file_search"]],
  ["openrouter", ["plugins"]],
  ["openai", []],
])("%s is asked for its own tools beside functions, in a way that it accepts", (name, expected) => {
  const wire = wires[name];
  const body = wire?.encode({ ...requestOf([question]), serverTools });
  expect(wire?.fault(body)).toBeNull();
  const plain = JSON.stringify(wire?.encode(requestOf([question])));
  for (const each of expected) expect(JSON.stringify(body)).toContain(`"${each}"`);
  if (expected.length === 0) expect(JSON.stringify(body)).toBe(plain);
});

test.each(Object.keys(wires))("a cited text of another model goes to %s with its sources as plain links", (name) => {
  const annotations = [{ type: "url_citation", url: "https://example.org/a", title: "A" }];
  const reply: Message = {
    role: "assistant",
    content: [{ type: "text", text: "In Oslo.", native: { api: "elsewhere", data: { annotations } } }],
    origin: { api: "elsewhere", provider: "p", model: "m" },
  };
  const body = JSON.stringify(wires[name]?.encode(requestOf([question, reply, question])));
  expect(body).toContain("In Oslo.\\n\\nSources: [A](<https://example.org/a>)");
});

test("a conversation switches them on, and nothing searches while its branch holds private and untrusted text", async () => {
  const studios = await openWiredStudios();
  const wired = await studios.open("one\n");
  const { studio } = wired;
  await wired.use("google/gemini-3-flash-preview");
  const { conversations } = studio.workspace;
  const chosen = ["web-search", "code-execution"];
  accepted(await conversations.setSettings({ rootId: studio.rootId, serverTools: chosen }));
  await studio.ask("Find looms.");
  await studio.write("two\n");
  await studio.ask("And now?");
  accepted(await conversations.setSettings({ rootId: studio.rootId, serverTools: null }));
  await studio.ask("And without?");
  const sent = wired.bodies("gemini").map((body) => JSON.stringify(body["tools"]));
  expect(sent.map((tools) => [tools.includes("googleSearch"), tools.includes("codeExecution")])).toEqual([
    [true, true],
    [false, true],
    [false, false],
  ]);
  expect(wired.rejections()).toEqual([]);
  await wired.close();
  await studios.close();
});
