import { join } from "node:path";
import { scriptedApi } from "../../src/adapters/providers/scribe/scribe.ts";
import { openSqliteStore } from "../../src/adapters/storage/sqlite/open-sqlite-store.ts";
import type { HeddleClient } from "../../src/client/base/types.ts";
import { noUsage } from "../../src/core/message/usage.ts";
import type { LanguageModel, ModelCatalogue } from "../../src/core/port/language-model.ts";
import { tableSizes, type TableSize } from "../../src/testing/store/table-sizes.ts";
import { connectTestClient, until } from "../../src/testing/test-client.ts";
import { startTestServer } from "../../src/testing/test-server.ts";
import { noGoal, type BenchRow } from "../harness/bench.ts";

const edits = 5_000;
const replies = 5;
const tokensOfReply = 2_000;
/** A page is a few kilobytes, and each table ends in one that is not full: at thousands of rows that no longer counts. */
const per = 1_000;

/** What a thousand edits and a thousand streamed tokens leave in the database of a whole server, table by table. */
export async function databaseSizes(folder: string): Promise<readonly BenchRow[]> {
  const [typed, streamed] = [join(folder, "typed.db"), join(folder, "streamed.db")];
  return [
    ...(await grownBy(typed, { work: `database, of ${per} edits of a letter`, count: edits, live: typeLetters })),
    ...(await grownBy(streamed, {
      work: `database, of ${per} streamed tokens`,
      count: replies * tokensOfReply,
      live: streamReplies,
    })),
  ];
}

interface Living {
  readonly work: string;
  /** How many edits or tokens `live` makes. */
  readonly count: number;
  readonly live: (client: HeddleClient) => Promise<void>;
}

/** Lets a client live in a new workspace, and tells what the file grew by once the server has stopped. */
async function grownBy(file: string, { work, count, live }: Living): Promise<readonly BenchRow[]> {
  const run = async (act: (client: HeddleClient) => Promise<void>): Promise<void> => {
    const server = await startTestServer({ store: await openSqliteStore({ file }), catalogue, welcome: false });
    const client = connectTestClient(server);
    try {
      await act(client);
    } finally {
      client.close();
      await server.close();
    }
  };
  await run(async (client) => {
    await until(client.state, ({ type }) => type === "live");
  });
  const before: ReadonlyMap<string, TableSize> = tableSizes(file);
  await run(live);
  const rows = [...tableSizes(file)].flatMap(([table, { rows: now, bytes }]) => {
    const was = before.get(table) ?? { rows: 0, bytes: 0 };
    return bytes > was.bytes ? [{ table, rows: now - was.rows, bytes: bytes - was.bytes }] : [];
  });
  const kilobytes = (bytes: number): number => (bytes * per) / count / 1_024;
  const row = (subject: string, bytes: number): BenchRow => {
    return { work, subject, value: kilobytes(bytes), unit: "KB", ratio: null, ...noGoal };
  };
  return [
    row(
      "the whole file",
      rows.reduce((sum, { bytes }) => sum + bytes, 0),
    ),
    ...rows
      .toSorted((one, other) => other.bytes - one.bytes)
      .filter(({ bytes }) => kilobytes(bytes) >= 1)
      .map(({ table, rows: grown, bytes }) => row(`${table}, ${Math.round((grown * per) / count)} rows`, bytes)),
  ];
}

/** Types letters one at a time, each a change of its own, in one document. */
async function typeLetters(client: HeddleClient): Promise<void> {
  const made = await client.call("canvas.create", { title: "Typed", text: "" });
  if (!made.ok) throw new Error(made.error.message);
  const text = client.openText(made.value.canvasId);
  await until(text.header, () => text.ready);
  for (let edit = 0; edit < edits; edit += 1) {
    text.edit([{ from: text.length, to: text.length, insert: edit % 6 === 5 ? " " : "e" }]);
    await until(text.unconfirmed, (unconfirmed) => unconfirmed === 0);
  }
}

/** Asks for long replies, one after the other, in one conversation. */
async function streamReplies(client: HeddleClient): Promise<void> {
  const made = await client.call("conversation.create", { model: talker.info.id, title: "Streamed" });
  if (!made.ok) throw new Error(made.error.message);
  const { rootId } = made.value;
  const conversation = client.conversation(rootId);
  const stop = conversation.subscribe(() => undefined);
  for (let reply = 1; reply <= replies; reply += 1) {
    const parentNodeId = conversation.get()?.runs[0]?.headNodeId ?? null;
    const sent = await client.call("message.send", { rootId, parentNodeId, text: "On." });
    if (!sent.ok) throw new Error(sent.error.message);
    const isAnswered = (): boolean => {
      const view = conversation.get();
      return view !== null && view.nodesById.size === 2 * reply && view.runs[0]?.state.type === "idle";
    };
    await until(conversation, isAnswered, 60_000);
  }
  stop();
}

/** A model that writes a token of five characters every millisecond or two, a line of fifteen tokens each. */
const talker: LanguageModel = {
  info: {
    id: "local/talker",
    name: "Talker",
    contextTokensMax: null,
    outputTokensMax: null,
    tools: false,
    thinking: false,
    local: true,
  },
  api: scriptedApi,
  async *stream() {
    yield { type: "response-started", model: "talker" };
    yield { type: "text-start", index: 0 };
    for (let token = 1; token <= tokensOfReply; token += 1) {
      yield {
        type: "text-delta",
        index: 0,
        text: token % 15 === 0 ? "that.\n" : `${words[token % words.length] ?? ""} `,
      };
      await new Promise((resolve) => {
        setTimeout(resolve, 1);
      });
    }
    yield { type: "text-end", index: 0 };
    yield { type: "finished", reason: "end-turn", usage: { ...noUsage, outputTokens: tokensOfReply } };
  },
};

const words = ["what", "this", "page", "says", "here", "some", "time", "then"] as const;

const catalogue: ModelCatalogue = {
  list: () => [talker.info],
  find: (id) => (id === talker.info.id ? talker : undefined),
};
