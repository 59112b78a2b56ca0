import { describe, expect, test } from "vitest";
import type { JsonObject } from "../base/json.ts";
import { sourceLinks, sourcesOf, withPlainSources } from "./citations.ts";
import { serverStepOf, stepWords } from "./server-step.ts";
import type { OpaqueBlock, TextBlock } from "./types.ts";

const opaque = (raw: JsonObject): OpaqueBlock => ({ type: "opaque", api: "any", raw });
const cited = (text: string, data: JsonObject): TextBlock => ({ type: "text", text, native: { api: "any", data } });
const address = "https://example.org/a";
const source = { url: address, title: "A" };

describe("the sources of a text", () => {
  test.each<[string, JsonObject]>([
    ["Messages", { citations: [{ type: "web_search_result_location", url: address, title: "A", cited_text: "x" }] }],
    ["Chat Completions", { annotations: [{ type: "url_citation", url_citation: { url: address, title: "A" } }] }],
    [
      "Responses and Interactions",
      { annotations: [{ type: "url_citation", url: address, title: "A", start_index: 0 }] },
    ],
    ["generateContent", { groundingMetadata: { groundingChunks: [{ web: { uri: address, title: "A" } }] } }],
  ])("are read from %s", (_api, data) => {
    expect(sourcesOf(cited("x", data))).toEqual([source]);
    expect(withPlainSources(cited("x", data))).toBe(`x\n\nSources: [A](<${address}>)`);
  });

  test("are each named once, by their host where no title is given, and only where a browser may go", () => {
    const data = {
      a: [{ url: address }, { url: address }, { url: "javascript:alert(1)" }, { uri: "file:///etc/passwd" }],
    };
    expect(sourcesOf(cited("x", data))).toEqual([{ url: address, title: "example.org" }]);
  });

  test("are not repeated below a text that links to them", () => {
    expect(withPlainSources(cited(`see ${address}`, { annotations: [source] }))).toBe(`see ${address}`);
  });

  test("cannot break out of their link", () => {
    const links = sourceLinks([{ url: "https://example.org/a>b", title: "x](https://evil.example)[y" }]);
    expect(links).toBe("Sources: [x\\](https://evil.example)\\[y](<https://example.org/a%3Eb>)");
  });
});

test.each<[string, JsonObject, string]>([
  [
    "Anthropic's search",
    { type: "server_tool_use", name: "web_search", input: { query: "looms" } },
    "Searched the web: looms",
  ],
  [
    "Anthropic's page",
    { type: "server_tool_use", name: "web_fetch", input: { url: address } },
    `Opened a page: ${address}`,
  ],
  [
    "Anthropic's code",
    { type: "server_tool_use", name: "bash_code_execution", input: { command: "ls" } },
    "Ran code at the provider",
  ],
  [
    "OpenAI's search",
    { type: "web_search_call", action: { type: "search", query: "looms" } },
    "Searched the web: looms",
  ],
  [
    "OpenAI's code",
    { type: "code_interpreter_call", code: "1+1", outputs: [{ type: "logs", logs: "2" }] },
    "Ran code at the provider",
  ],
  ["OpenAI's files", { type: "file_search_call", queries: ["looms"] }, "Searched stored files: looms"],
  ["Gemini's code", { executableCode: { language: "PYTHON", code: "1+1" } }, "Ran code at the provider"],
  [
    "Google's search",
    { type: "google_search_call", arguments: { queries: ["looms", "yarn"] } },
    "Searched the web: looms, yarn",
  ],
  ["Google's page", { type: "url_context_call", arguments: { urls: [address] } }, `Opened a page: ${address}`],
])("%s is a step in words", (_what, raw, words) => {
  const step = serverStepOf(opaque(raw));
  expect(step === null ? null : stepWords(step)).toBe(words);
});

test("a step of code has its code and its output, a search its results", () => {
  const code = { type: "code_interpreter_call", code: "1+1", outputs: [{ type: "logs", logs: "2" }] };
  expect(serverStepOf(opaque(code))).toMatchObject({ asked: "1+1", output: "2" });
  const found = { type: "web_search_tool_result", content: [{ type: "web_search_result", url: address, title: "A" }] };
  expect(serverStepOf(opaque(found))).toMatchObject({ kind: "search", sources: [source] });
  expect(serverStepOf(opaque({ type: "compaction", content: "x" }))).toBeNull();
});
