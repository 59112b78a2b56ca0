import { connect } from "node:net";
import { afterEach, beforeEach, describe, expect, test } from "vitest";
import { decodeBase64 } from "../../../core/base/base64.ts";
import { must } from "../../../core/base/assert.ts";
import type { BlockId } from "../../../core/base/ids.ts";
import { createDocument, decodeDocument } from "../../../core/text/document.ts";
import { trustedLimits } from "../../../core/text/trusted-limits.ts";
import type { TextDocument } from "../../../core/text/types.ts";
import { startTestServer, type TestServer } from "../../../testing/test-server.ts";

let server: TestServer;
let closers: AbortController[] = [];

beforeEach(async () => {
  server = await startTestServer({ welcome: false });
  closers = [];
});

afterEach(async () => {
  for (const closer of closers) closer.abort();
  await server.close();
});

interface Event {
  readonly name: string;
  // oxlint-disable-next-line typescript/no-explicit-any -- what the wire brought, looked at field by field
  readonly data: any;
}

function post(path: string, body: object, signal?: AbortSignal): Promise<Response> {
  return fetch(`${server.url}${path}`, {
    method: "POST",
    headers: { authorization: `Bearer ${server.token}`, "content-type": "application/json" },
    body: JSON.stringify(body),
    ...(signal === undefined ? {} : { signal }),
  });
}

async function tool(name: string, body: object): Promise<{ block_id: BlockId; version: number }> {
  const response = await post(`/api/tools/${name}`, body);
  expect(response.status).toBe(200);
  return (await response.json()) as { block_id: BlockId; version: number };
}

async function* subscribe(body: object): AsyncGenerator<Event, void> {
  const closer = new AbortController();
  closers.push(closer);
  const response = await post("/api/tools/block_subscribe", body, closer.signal);
  expect(response.headers.get("content-type")).toContain("text/event-stream");
  let text = "";
  for await (const chunk of must(response.body, "a stream").pipeThrough(new TextDecoderStream())) {
    // A long event comes in hundreds of pieces, so only the newest is searched for its end.
    const mayEnd = chunk.includes("\n\n") || (text.endsWith("\n") && chunk.startsWith("\n"));
    text += chunk;
    if (!mayEnd) continue;
    for (let end = text.indexOf("\n\n"); end !== -1; end = text.indexOf("\n\n")) {
      const [, name, data] = /^event: (\S+)\ndata: (.*)$/.exec(text.slice(0, end)) ?? [];
      text = text.slice(end + 2);
      if (name !== undefined) yield { name, data: JSON.parse(data ?? "null") };
    }
  }
}

/** Copies of blocks, updated from the events of a subscription. */
class Copies {
  readonly versions = new Map<BlockId, number>();
  readonly documents = new Map<BlockId, TextDocument>();

  take({ name, data }: Event): void {
    if (name === "new-block") {
      const decoded = decodeDocument(must(decodeBase64(data.text), "base64"), trustedLimits);
      if (!decoded.ok) throw new Error(decoded.error.code);
      this.documents.set(data.header.id, decoded.value);
      this.versions.set(data.header.id, data.header.version);
    } else if (name === "patch") {
      expect(data.version).toBe((this.versions.get(data.blockId) ?? 0) + 1);
      this.versions.set(data.blockId, data.version);
      const document = this.documents.get(data.blockId) ?? createDocument();
      this.documents.set(data.blockId, document);
      const update = data.body.update === undefined ? undefined : decodeBase64(data.body.update);
      if (update !== undefined && update.length > 0) expect(document.merge(update, trustedLimits).ok).toBe(true);
    }
  }

  text(id: BlockId): string | undefined {
    return this.documents.get(id)?.text();
  }
}

const file = (content: string) => ({ kind: "file", role: "user", content });

describe("block_subscribe", () => {
  test("B-28 sends every existing block, then every change once, including blocks created later", async () => {
    const first = await tool("block_create", file("one\n"));
    const events = subscribe({});
    const copies = new Copies();
    for await (const event of events) {
      copies.take(event);
      if (event.name === "caught-up") break;
    }
    expect(copies.text(first.block_id)).toBe("one\n");
  });

  test("B-28 during constant edits, the copies end equal to the server's blocks", async () => {
    const first = await tool("block_create", file("one\n"));
    const copies = new Copies();
    let last: { block_id: BlockId; version: number } | undefined;
    const edits = (async () => {
      for (let edit = 0; edit < 30; edit += 1) {
        await tool("block_splice", { block_id: first.block_id, offset: 0, delete_count: 0, insert: `${edit},` });
        if (edit === 10) last = await tool("block_create", file("late\n"));
      }
      return tool("block_read", { block_id: first.block_id, line_numbers: false });
    })();
    const done = edits.then((read) => ({ content: (read as unknown as { content: string }).content }));
    for await (const event of subscribe({})) {
      copies.take(event);
      if ((copies.versions.get(first.block_id) ?? 0) >= 31 && last !== undefined && copies.versions.has(last.block_id))
        break;
    }
    expect(copies.text(first.block_id)).toBe(`${(await done).content}\n`);
    expect(copies.text(must(last, "made").block_id)).toBe("late\n");
  });

  test("14.5 asked for text, it sends texts and what is appended to them", async () => {
    const { block_id: id } = await tool("block_create", file("one\r\n"));
    const received: Event[] = [];
    for await (const event of subscribe({ block_ids: [id], form: "text" })) {
      received.push(event);
      if (event.name === "caught-up") {
        await tool("block_append", { block_id: id, text: "two" });
        await tool("block_splice", { block_id: id, offset: 0, delete_count: 3, insert: "ONE" });
        await tool("block_update", { block_id: id, metadata: { title: "T" } });
      }
      if (received.length === 5) break;
    }
    expect(
      received.map(({ name, data }) => [name, data.text, data.appended, data.version ?? data.header?.version]),
    ).toEqual([
      ["new-block", "one\r\n", undefined, 1],
      ["caught-up", undefined, undefined, undefined],
      ["patch", undefined, "two", 2],
      ["patch", "ONE\r\ntwo", undefined, 3],
      ["patch", undefined, undefined, 4],
    ]);
    const sync = (versions: readonly unknown[]) => tool("block_sync", { versions, form: "text" });
    expect(await sync([[id, 1]])).toMatchObject({ patches: [{ header: { version: 4 }, text: "ONE\r\ntwo" }] });
    await tool("block_append", { block_id: id, text: "!" });
    expect(await sync([[id, 4]])).toMatchObject({
      patches: [{ header: { version: 5 }, appended: "!" }],
      new_blocks: [],
    });
    expect(await sync([])).toMatchObject({ patches: [], new_blocks: [{ text: "ONE\r\ntwo!" }] });
    expect(await sync([[id, 5]])).toMatchObject({ patches: [], new_blocks: [] });
  });

  test("resumes from the caller's versions for the blocks it names", async () => {
    const [a, b] = [await tool("block_create", file("a")), await tool("block_create", file("b"))];
    await tool("block_splice", { block_id: a.block_id, offset: 1, delete_count: 0, insert: "!" });
    const received: Event[] = [];
    for await (const event of subscribe({ block_ids: [a.block_id], from_versions: [[a.block_id, 1]] })) {
      received.push(event);
      if (event.name === "caught-up") await tool("block_splice", { block_id: b.block_id, offset: 0, delete_count: 1 });
      if (event.name === "caught-up") await tool("block_splice", { block_id: a.block_id, offset: 0, delete_count: 1 });
      if (received.length === 3) break;
    }
    expect(received.map(({ name, data }) => [name, data.blockId, data.version])).toEqual([
      ["patch", a.block_id, 2],
      ["caught-up", undefined, undefined],
      ["patch", a.block_id, 3],
    ]);
  });

  test("is refused for unknown blocks and for unreadable bodies", async () => {
    const unknown = await post("/api/tools/block_subscribe", { block_ids: ["doc/1/0"] });
    expect([unknown.status, await unknown.json()]).toMatchObject([404, { error: { code: "BLOCK_NOT_FOUND" } }]);
    expect((await post("/api/tools/block_subscribe", { block_ids: "x" })).status).toBe(400);
    const stranger = await fetch(`${server.url}/api/tools/block_subscribe`, { method: "POST" });
    expect(stranger.status).toBe(401);
  });

  test("sends a block larger than the limit of unread data, and then its changes", async () => {
    const made = await tool("block_create", file(""));
    for (let part = 0; part < 4; part += 1) {
      const insert = "x".repeat(800_000);
      await tool("block_splice", { block_id: made.block_id, offset: 0, delete_count: 0, insert });
    }
    const events = subscribe({ block_ids: [made.block_id] });
    const next = async (): Promise<string> => ((await events.next()).value as Event | undefined)?.name ?? "the end";
    expect([await next(), await next()]).toEqual(["new-block", "caught-up"]);
    await tool("block_splice", { block_id: made.block_id, offset: 0, delete_count: 1, insert: "y" });
    expect(await next()).toBe("patch");
  });

  test("sends many blocks that exceed the limit of unread data together to a reader that reads", async () => {
    const made: BlockId[] = [];
    for (let block = 0; block < 8; block += 1) {
      const { block_id: id } = await tool("block_create", file("x".repeat(900_000)));
      made.push(id);
    }
    const names: string[] = [];
    for await (const { name } of subscribe({ block_ids: made })) {
      names.push(name);
      if (name !== "new-block") break;
    }
    expect(names).toEqual([...made.map(() => "new-block"), "caught-up"]);
  });

  test("B-29 a slow reader receives the reason and is cut off; subscribing again gives it everything", async () => {
    const made = await tool("block_create", file(""));
    const socket = connect(server.port, "127.0.0.1");
    const body = JSON.stringify({ block_ids: [made.block_id] });
    socket.write(
      `POST /api/tools/block_subscribe HTTP/1.1\r\nhost: 127.0.0.1:${server.port}\r\n` +
        `authorization: Bearer ${server.token}\r\nconnection: close\r\ncontent-type: application/json\r\ncontent-length: ${body.length}\r\n\r\n${body}`,
    );
    const much = (edit: number): string => String(edit % 10).repeat(300_000);
    const edits = 40;
    for (let edit = 0; edit < edits; edit += 1) {
      const target = { block_id: made.block_id, offset: 0, delete_count: edit === 0 ? 0 : 300_000 };
      await tool("block_splice", { ...target, insert: much(edit) });
    }
    const read = await new Promise<string>((resolve) => {
      let text = "";
      socket.setEncoding("utf8").on("data", (piece: string) => (text = (text + piece).slice(-2_000)));
      socket.on("close", () => resolve(text));
      socket.on("error", () => resolve(text));
    });
    // The reason may not arrive; the end of the connection always shows.
    if (read.includes("event: terminated")) expect(read).toContain("SLOW_SUBSCRIBER");
    const copies = new Copies();
    for await (const event of subscribe({ block_ids: [made.block_id] })) {
      copies.take(event);
      if (event.name === "caught-up") break;
    }
    expect(copies.text(made.block_id)).toBe(much(edits - 1));
  });
});
