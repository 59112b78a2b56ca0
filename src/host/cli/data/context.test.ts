import { must } from "../../../core/base/assert.ts";
import { afterEach, beforeEach, expect, test } from "vitest";
import { accept } from "../../../core/base/result.test-support.ts";
import { connectTestClient, until } from "../../../testing/test-client.ts";
import { startTestServer, type TestServer } from "../../../testing/test-server.ts";
import { heddleAt } from "../run.test-support.ts";

let server: TestServer;
beforeEach(async () => {
  server = await startTestServer({ welcome: false });
});
afterEach(() => server.close());

const heddle = (...args: readonly string[]) => heddleAt(server, ["context", ...args]);

test("14.8 heddle context and GET /api/roots/:id/context show what the next request holds, with tokens by part", async () => {
  const client = connectTestClient(server, { name: "Ada" });
  const { rootId } = accept(await client.call("conversation.create", { title: "Looms" }));
  accept(await client.call("conversation.rules", { rootId, compaction: { at: 65 } }));
  const view = client.conversation(rootId);
  view.subscribe(() => {});
  const messages = ["Name three looms.", "And now the smallest."].map((text) => ({
    role: "user" as const,
    content: [{ type: "text" as const, text }],
  }));
  const [first] = messages;
  const added = await fetch(`${server.url}/api/nodes/${rootId}/append`, {
    method: "POST",
    headers: { authorization: `Bearer ${server.token}`, "content-type": "application/json" },
    body: JSON.stringify({
      messages: [first, { role: "assistant", content: [{ type: "text", text: "Three." }] }, messages[1]],
    }),
  });
  expect(added.status).toBe(200);
  const { id: nodeId } = (await added.json()) as { readonly id: string };
  await until(view, (now) => now?.nodesById.size === 3);
  const { id: firstId } = must([...(view.get()?.nodesById.values() ?? [])][0], "a message");
  accept(await client.call("message.exclude", { nodeId: firstId, excluded: true }));

  const slug = (await server.workspace.conversations.list())[0]?.slug ?? "";
  const shown = await heddle(slug);
  expect(shown).toMatchObject({ code: 0, noted: "" });
  expect(shown.printed).toMatch(/ tokens.* for .*, summed up at 65 %\n +\d+ {2}system prompt\n +\d+ {2}\d+ tools?\n/);
  expect(shown.printed).toContain("And now the smallest.");
  expect(shown.printed).toMatch(/left out:\n +\d+ {2}by a person: .*Name three looms\./);

  const url = `${server.url}/api/roots/${rootId}/context?node=${nodeId}`;
  const answer = await fetch(url, { headers: { authorization: `Bearer ${server.token}` } });
  const context: unknown = await answer.json();
  expect(context).toMatchObject({ compactAt: 65, leftOut: [{ nodeId: firstId, why: { reason: "excluded" } }] });
  expect(JSON.parse((await heddle(rootId, "--json", "--node", nodeId)).printed)).toEqual(context);
  client.close();
});

test("14.8 heddle context says what it cannot show", async () => {
  expect(await heddle()).toMatchObject({ code: 2, noted: expect.stringContaining("Which conversation?") });
  expect(await heddle("none")).toMatchObject({ code: 1, noted: expect.stringContaining("There is no conversation") });
  const [root] = [accept(await server.workspace.conversations.create({}))];
  expect(await heddle(root.id, "--node", "node_none")).toMatchObject({
    code: 1,
    noted: expect.stringContaining("message"),
  });
  expect(await heddle(root.id, "--model", "no/model")).toMatchObject({
    code: 1,
    noted: expect.stringContaining('There is no provider "no"'),
  });
});
