import { expect, test } from "vitest";
import { buildCatalogue } from "../../../adapters/providers/catalogue.ts";
import { accept } from "../../../core/base/result.test-support.ts";
import { connectTestClient } from "../../../testing/test-client.ts";
import { simulatedClock } from "../../../testing/simulated-clock.ts";
import { startTestServer } from "../../../testing/test-server.ts";
import { recognisedSyntax, recognisedWords } from "./recognised-syntax.ts";

test("15.9 chat and run say which syntax a model's template shows, unless a syntax was chosen", async () => {
  const entries = [
    { provider: "house", id: "plain", api: "openai-chat", baseUrl: "http://127.0.0.1:9/v1", tools: false, compat: {} },
  ];
  const served = new Map([["house", [{ model: "plain", proposedSyntax: "qwen-xml" }]]]);
  const deps = { fetch, clock: simulatedClock(), sleep: async () => {} };
  const server = await startTestServer({
    welcome: false,
    catalogue: buildCatalogue({ entries, served }, deps),
  });
  const client = connectTestClient(server, { name: "Ada" });
  const model = "house/plain";
  const said = `Tool calls of ${model} are read as qwen-xml, recognised by its chat template.`;
  const none = { model: undefined, rootId: null, toolSyntax: undefined };
  expect(await recognisedSyntax(client, { ...none, model })).toBe(said);
  expect(await recognisedSyntax(client, { ...none, model, toolSyntax: "xml" })).toBe(null);
  const { rootId } = accept(await client.call("conversation.create", { model }));
  expect(await recognisedSyntax(client, { ...none, rootId })).toBe(said);
  accept(await client.call("conversation.set-tool-syntax", { rootId, toolSyntax: "xml" }));
  expect(await recognisedSyntax(client, { ...none, rootId })).toBe(null);
  client.close();
  await server.close();
});

test("15.9 where the server reads the calls itself, the syntax is proposed", () => {
  const model = { id: "local/qwen", tools: true, proposedSyntax: "qwen-xml" };
  expect(recognisedWords(model)).toContain("--tool-syntax qwen-xml");
  expect(recognisedWords({ ...model, proposedSyntax: null })).toBe(null);
});
