import { expect, test } from "vitest";
import { openMemoryStore } from "../../../adapters/storage/memory/open-memory-store.ts";
import type { MemoryImage } from "../../../adapters/storage/memory/tables.ts";
import { accept } from "../../../core/base/result.test-support.ts";
import { must } from "../../../core/base/assert.ts";
import type { DocumentId, RootId } from "../../../core/base/ids.ts";
import { isLiveBlock } from "../../../core/block/live-block.ts";
import { textOf } from "../../../core/message/content.ts";
import { connectTestClient, until } from "../../../testing/test-client.ts";
import { startTestServer } from "../../../testing/test-server.ts";
import { loadBlock } from "../../document/block/load-block.ts";
import { FedModel } from "../../workspace/fed-model.test-support.ts";

/** A reply that a person edits while it streams; returns the store before each commit. */
async function imagesOfReply(): Promise<{ readonly images: readonly MemoryImage[]; readonly rootId: RootId }> {
  const images: MemoryImage[] = [];
  const store = openMemoryStore(undefined, {
    fault: () => {
      images.push(store.image());
      return null;
    },
  });
  const model = new FedModel();
  const server = await startTestServer({ welcome: false, store, catalogue: model.catalogue });
  const page = connectTestClient(server, { name: "Ann" });
  try {
    const { rootId } = accept(await page.call("conversation.create", { model: model.info.id }));
    accept(await page.call("message.send", { rootId, parentNodeId: null, text: "Write." }));
    model.say("Once upon a time\n", null);
    const view = await until(
      page.conversation(rootId),
      (now) => now?.runs[0]?.liveBlocks[0]?.text.includes("time") === true,
    );
    const live = page.openText(must(view?.runs[0]?.liveBlocks[0], "a live block").header.id);
    await until(live.header, (header) => header !== null && live.text().includes("time"));
    for (const word of ["HUMAN ", "and ANN "]) {
      live.edit([{ from: 0, to: 0, insert: word }]);
      await until(live.unconfirmed, (count) => count === 0);
      model.feed({ type: "text-delta", index: 0, text: `after ${word}\n` });
      await until(live.header, () => live.text().includes(`after ${word}`));
    }
    live.edit([{ from: 0, to: 4, insert: "" }]);
    await until(live.unconfirmed, (count) => count === 0);
    model.end();
    await until(page.conversation(rootId), (now) => now?.nodesById.size === 2 && now.runs[0]?.state.type === "idle");
    await server.workspace.hub.flush();
    return { images: [...images, store.image()], rootId };
  } finally {
    page.close();
    await server.close();
  }
}

/** The texts of the live blocks in an image. */
async function liveTexts(image: MemoryImage, rootId: RootId): Promise<readonly string[]> {
  const store = openMemoryStore(image);
  const headers = await store.blocks(rootId as string as DocumentId);
  const blocks = await Promise.all(headers.filter(isLiveBlock).map(({ id }) => loadBlock(store, id)));
  return blocks
    .flatMap((block) => (block === null ? [] : [block.document.text().trimEnd()]))
    .filter((text) => text !== "");
}

test("K-70 14.2 killed at any moment: the text that is stored after the restart is the text that was live", async () => {
  const { images, rootId } = await imagesOfReply();
  let edited = 0;
  for (const image of images) {
    const live = await liveTexts(image, rootId);
    if (live.length === 0) continue;
    const store = openMemoryStore(image);
    const server = await startTestServer({ welcome: false, store, catalogue: new FedModel().catalogue });
    const replies = async (): Promise<readonly string[]> =>
      (await store.nodes(rootId)).flatMap(({ message }) =>
        message.role === "assistant" ? [textOf(message).trimEnd()] : [],
      );
    await expect.poll(replies, { timeout: 5_000 }).toEqual(live);
    const node = must(
      (await store.nodes(rootId)).find(({ message }) => message.role === "assistant"),
      "a reply",
    );
    if (live.join("").includes("HUMAN")) {
      edited += 1;
      expect(node.edited).toMatchObject({
        by: [{ name: "Ann" }],
        original: expect.stringMatching(/^Once upon a time/u),
      });
      expect(node.authors?.every(({ actor }) => actor.name === "Ann")).toBe(true);
    }
    // However often the server stops, what was there is not stored again with other words.
    expect(new Set(await replies()).size).toBe(1);
    await server.close();
  }
  expect(edited).toBeGreaterThan(5);
});
