import { afterAll, beforeAll, expect, test } from "vitest";
import { must } from "../../src/core/base/assert.ts";
import type { BlockId, RequestId, RootId } from "../../src/core/base/ids.ts";
import type { ForestNode, ForestRoot } from "../../src/core/forest/types.ts";
import { isCanvasUpdate } from "../../src/core/message/canvas-update.ts";
import { toolUses } from "../../src/core/message/content.ts";
import { welcomeText } from "../../src/host/workspace/welcome.ts";
import { startMockProvider, type MockProvider } from "../../src/testing/mock-provider/server.ts";
import { until } from "../../src/testing/test-client.ts";
import { Api } from "../e2e/api.ts";
import { startServerProcess, temporaryDirectory, type ServerProcess } from "../e2e/server-process.ts";
import { assertHistory } from "./history.ts";
import { nodesOf, staleEpoch, takeControl, theBranches, theTurn, theUndo } from "./main-job.ts";
import { describeModels, modelOf, textAuthor, tierOne } from "./text-models.ts";
import { secondTool, thought } from "./thoughtful-author.ts";
import { isResting, openTypist, timesIn, viewOf } from "./typist.ts";

const author = textAuthor(2);
let mock: MockProvider;
let data: Awaited<ReturnType<typeof temporaryDirectory>>;
let server: ServerProcess;
let api: Api;
let persons = 0;

const env = { HEDDLE_NO_BUILD: "1", HEDDLE_TOOL_SYNTAX: "xml" };

beforeAll(async () => {
  mock = await startMockProvider({
    api: "chat",
    strict: true,
    reply: (request, signal) => author.stream(request, signal),
  });
  data = await temporaryDirectory();
  await describeModels(data.path, mock.url);
  server = await startServerProcess({ dataDirectory: data.path, env });
  api = new Api(server);
});

afterAll(async () => {
  await server.kill();
  await mock.close();
  await data.remove();
});

async function opened(syntax: string) {
  const { canvasId } = await api.post<{ canvasId: BlockId }>("/api/commands/canvas.create", {
    title: syntax,
    text: welcomeText,
  });
  const { rootId } = await api.post<{ rootId: RootId }>("/api/commands/conversation.create", {
    canvasId,
    model: modelOf(syntax),
    // The server's setting is xml; a template belongs to the model.
    ...(syntax === "xml" || syntax === "response-template" ? {} : { toolSyntax: syntax }),
  });
  persons += 1;
  const person = await openTypist({ server, number: persons, canvasId, rootId });
  await until(person.text.header, (header) => header !== null);
  return { person, rootId, canvasId };
}

interface Stored {
  readonly root: ForestRoot;
  readonly nodes: readonly ForestNode[];
}

test.each(tierOne)(
  "the main job works in %s, with a thought and two calls in a reply, behind the real server",
  async (syntax) => {
    const { person, rootId, canvasId } = await opened(syntax);
    try {
      await theTurn(person);
      await theUndo(person);
      const isFirst = syntax === "caret" || syntax === "xml";
      if (isFirst) {
        await theBranches(person);
        await takeControl(person);
        await staleEpoch(person);
      }
      const { nodes } = await api.get<Stored>(`/api/conversations/${rootId}`);
      assertHistory(nodes, "idle");
      const replies = nodes.flatMap(({ message }) => (message.role === "assistant" ? [message] : []));
      const first = must(replies[0], "a reply");
      // Both calls run where the syntax separates calls; in a text the second is refused, and none is lost.
      expect(toolUses(first).map(({ name }) => name)).toEqual(
        syntax === "native" ? ["canvas_check_out", secondTool] : ["canvas_check_out"],
      );
      expect(first.content.flatMap((block) => (block.type === "thinking" ? [block.text] : []))).toEqual([thought]);
      const words = replies.flatMap(({ content }) =>
        content.flatMap((block) => (block.type === "text" ? [block.text] : [])),
      );
      expect(words.join("")).not.toMatch(/canvas_|\^\^\^|<\/|<\||\[TOOL|｜/);
      const facts = nodes.flatMap(({ request }) => request ?? []);
      expect(new Set(facts.map(({ toolSyntax }) => toolSyntax))).toEqual(
        new Set([syntax === "native" ? undefined : syntax]),
      );
      expect(`${await api.textOf(canvasId)}\n`).toBe(person.text.text());
      expect(person.typed.filter((word) => timesIn(person.text.text(), word) !== 1)).toEqual([]);
      expect(mock.rejections).toEqual([]);
    } finally {
      person.close();
    }
  },
);

test("a conversation can change its syntax in the middle, and its history is rewritten in the new one", async () => {
  const { person, rootId } = await opened("caret");
  try {
    await theTurn(person);
    await person.client.call("conversation.set-tool-syntax", { rootId, toolSyntax: "hermes" });
    await person.client.call("message.send", {
      rootId,
      parentNodeId: must(nodesOf(person).at(-1), "a message").id,
      text: "Add a section on rivers",
      clientRequestId: "request-in-another-syntax" as RequestId,
    });
    await until(person.text.header, () => person.text.text().includes("## Rivers"), 20_000);
    await until(person.conversation, isResting, 20_000);
    const asked = must(mock.requests.at(-1), "a request").body;
    const said = JSON.stringify(asked["messages"]);
    expect(said).toContain(
      JSON.stringify('<tool_call>\n{"name": "canvas_check_out", "arguments": {}}\n</tool_call>').slice(1, -1),
    );
    expect(said).not.toContain("^^^canvas");
    const { nodes } = await api.get<Stored>(`/api/conversations/${rootId}`);
    assertHistory(nodes, "idle");
  } finally {
    person.close();
  }
});

test("an unknown syntax is refused by name, by the command and at the start", async () => {
  const { rootId, person } = await opened("caret");
  person.close();
  const refused = await person.client.call("conversation.set-tool-syntax", { rootId, toolSyntax: "carat" });
  expect(refused).toMatchObject({ ok: false });
  const started = startServerProcess({
    dataDirectory: `${data.path}-none`,
    env: { ...env, HEDDLE_TOOL_SYNTAX: "carat" },
  });
  await expect(started).rejects.toThrow(/Did you mean caret\? There are: native, caret, xml/);
});

test("after kill -9 during a turn with calls in text, the next start continues and stored messages are unchanged", async () => {
  const { person, rootId, canvasId } = await opened("caret");
  await person.client.call("message.send", {
    rootId,
    parentNodeId: null,
    text: "Add a section on testing, then add a section on ferries",
    clientRequestId: "request-before-the-kill" as RequestId,
  });
  await until(person.conversation, (view) => (view?.nodesById.size ?? 0) > 4, 20_000);
  await server.kill();
  person.close();
  const before = nodesOf(person);
  server = await startServerProcess({ dataDirectory: data.path, env });
  api = new Api(server);
  persons += 1;
  const again = await openTypist({ server, number: persons, canvasId, rootId });
  try {
    await until(
      again.conversation,
      (view) =>
        isResting(view) &&
        [...(view?.nodesById.values() ?? [])].findLast(({ message }) => !isCanvasUpdate(message))?.message.role ===
          "assistant",
      30_000,
    );
    const { nodes } = await api.get<Stored>(`/api/conversations/${rootId}`);
    assertHistory(nodes, "idle");
    const storedById = new Map(nodes.map((node) => [node.id, node]));
    for (const node of before) expect(storedById.get(node.id)?.message).toEqual(node.message);
    expect(viewOf(again).runs.map(({ state }) => state.type)).toEqual(["idle"]);
    const text = await api.textOf(canvasId);
    expect(text.match(/^## (?:Testing|Ferries)$/gm)?.toSorted()).toEqual(["## Ferries", "## Testing"]);
  } finally {
    again.close();
  }
});
