import { describe, expect, test } from "vitest";
import type { BlockId } from "../../core/base/ids.ts";
import { accept } from "../../core/base/result.test-support.ts";
import { authorOf, createBlock, openWorld, person, type World } from "./world.test-support.ts";
import { WordIndex } from "./word-index.ts";

async function found(world: World, words: string): Promise<readonly string[]> {
  return (await world.store.searchWords({ words, in: "blocks", rootId: null, limit: 10 })).map(({ id }) => id);
}

describe("the word index", () => {
  test("words are found after the indexing delay, and not before", async () => {
    const world = await openWorld();
    const index = new WordIndex(world);
    const file = await createBlock(world, { kind: "file", text: "green tea" });
    await createBlock(world, { kind: "text", text: "green grass" });
    await world.clock.advance(1_900);
    expect(await found(world, "green")).toEqual([]);
    await world.clock.advance(100);
    expect(await found(world, "green")).toEqual([file.id]);
    const author = await authorOf(world, person("ada"));
    accept(await world.hub.editor.edit(author, file.id, { changes: [{ from: 0, to: 5, insert: "black" }] }));
    await world.clock.advance(1_900);
    expect(await found(world, "black")).toEqual([]);
    await world.clock.advance(100);
    expect([await found(world, "green"), await found(world, "black")]).toEqual([[], [file.id]]);
    accept(await world.hub.deletion.delete(author, file.id));
    await index.settle();
    expect(await found(world, "black")).toEqual([]);
    await index.close();
  });

  test("words missed by a crash are indexed at the next start", async () => {
    const world = await openWorld();
    const first = await createBlock(world, { kind: "file", text: "lost words", document: "a" });
    const again = await openWorld(world.store, world.clock);
    const index = new WordIndex(again);
    await index.start();
    await index.settle();
    expect(await found(again, "lost")).toEqual([first.id]);
    expect(await world.store.filesWithoutWords()).toEqual([]);
    await index.close();
  });

  test("an unreadable file is logged and skipped, and other files are still indexed", async () => {
    const world = await openWorld();
    const index = new WordIndex(world);
    const read = world.hub.reader.read.bind(world.hub.reader);
    const damaged = await createBlock(world, { kind: "file", text: "green tea", document: "a" });
    const whole = await createBlock(world, { kind: "file", text: "green grass", document: "b" });
    world.hub.reader.read = (id) => (id === damaged.id ? Promise.reject(new Error("the disk")) : read(id));
    await index.settle();
    expect(await found(world, "green")).toEqual([whole.id]);
    expect(world.logged.map(({ event }) => event)).toEqual(["words-not-indexed"]);
    world.hub.reader.read = read;
    const author = await authorOf(world, person("ada"));
    accept(await world.hub.editor.edit(author, damaged.id, { changes: [{ from: 0, to: 0, insert: "very " }] }));
    await index.settle();
    expect(await found(world, "tea")).toEqual([damaged.id]);
    await index.close();
  });

  test("words of many files are written in several commits", async () => {
    const world = await openWorld();
    const index = new WordIndex(world);
    for (let file = 0; file < 120; file += 1) {
      await createBlock(world, { kind: "file", text: `needle ${"x ".repeat(4_000)}`, document: `f${file}` });
    }
    await index.settle();
    expect(await world.store.searchWords({ words: "needle", in: "blocks", rootId: null, limit: 200 })).toHaveLength(
      120,
    );
    await index.close();
  });

  test("where another process waits for the store, what waits to be indexed is left to it", async () => {
    const world = await openWorld();
    const index = new WordIndex({ ...world, handsOver: true });
    const file = await createBlock(world, { kind: "file", text: "green tea" });
    await index.close();
    expect(await found(world, "green")).toEqual([]);
    const next = new WordIndex(await openWorld(world.store, world.clock));
    await next.start();
    await world.clock.advance(2_000);
    expect(await found(world, "green")).toEqual([file.id]);
    await next.close();
  });

  test("indexing rests three times as long as it took, unless somebody waits for it", async () => {
    const world = await openWorld();
    const index = new WordIndex(world);
    const commits: number[] = [];
    const commit = world.store.commit.bind(world.store);
    world.store.commit = async (writes) => {
      if (!writes.some(({ type }) => type === "put-block-words")) return commit(writes);
      commits.push(world.clock.monotonic());
      // The store is busy with it for a while.
      await new Promise<void>((resolve) => world.clock.setTimer(100, resolve));
      return commit(writes);
    };
    for (let file = 0; file < 5; file += 1) {
      await createBlock(world, { kind: "file", text: `needle ${"x ".repeat(40_000)}`, document: `f${file}` });
    }
    await world.clock.advance(3_000);
    expect(commits).toEqual([2_000, 2_400, 2_800]);
    const settled = index.settle();
    await world.clock.advance(300);
    await settled;
    expect(commits).toEqual([2_000, 2_400, 2_800, 3_000, 3_100]);
    expect(await found(world, "needle")).toHaveLength(5);
    await index.close();
  });

  test("words of files under constant typing are written periodically, not with every letter", async () => {
    const world = await openWorld();
    const author = await authorOf(world, person("ada"));
    const index = new WordIndex(world);
    const files: BlockId[] = [];
    for (const document of ["a", "b"]) {
      files.push((await createBlock(world, { kind: "file", text: "x", document })).id);
    }
    let written = 0;
    const commit = world.store.commit.bind(world.store);
    world.store.commit = async (writes) => {
      const words = writes.filter(({ type }) => type === "put-block-words").length;
      written += words;
      // A person types into each file while its words are being written.
      if (words > 0 && written < 50) {
        for (const id of files)
          accept(await world.hub.editor.edit(author, id, { changes: [{ from: 0, to: 0, insert: "y" }] }));
      }
      return commit(writes);
    };
    await world.clock.advance(2_000);
    await index.settle();
    expect(written).toBeGreaterThan(0);
    expect(written).toBeLessThanOrEqual(4);
    await index.close();
  });
});
