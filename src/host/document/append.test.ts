import { describe, expect, test } from "vitest";
import { openMemoryStore } from "../../adapters/storage/memory/open-memory-store.ts";
import type { LeaseId, RunId } from "../../core/base/ids.ts";
import type { BlockChange } from "../../core/block/types.ts";
import { accept, codeOf } from "../../core/base/result.test-support.ts";
import {
  atRest,
  authorOf,
  createBlock,
  insertion,
  model,
  openHeldWorld,
  openWorld,
  person,
  requestId,
  TestReplica,
  textOf,
} from "./world.test-support.ts";

function kindsOf(deliveries: readonly (readonly BlockChange[])[]): readonly (readonly string[])[] {
  return deliveries.map((changes) => changes.map((change) => change.body.type));
}

describe("append", () => {
  test("B-17 appended text is written in one piece when its line ends", async () => {
    const world = await openWorld();
    const { id } = await createBlock(world);
    const author = await authorOf(world, model("run"));
    const replica = new TestReplica(id);
    await replica.join(world);
    accept(await world.hub.editor.append(author, id, "hello "));
    await atRest();
    expect(replica.deliveries).toHaveLength(0);
    accept(await world.hub.editor.append(author, id, "world\n"));
    expect(replica.deliveries).toHaveLength(1);
    expect(replica.text()).toBe("hello world\n");
  });

  test("a flush writes what every block has buffered, so that a search finds it", async () => {
    const world = await openWorld();
    const author = await authorOf(world, model("run"));
    const replicas = [];
    for (const { id } of [await createBlock(world), await createBlock(world)]) {
      const replica = new TestReplica(id);
      await replica.join(world);
      accept(await world.hub.editor.append(author, id, "word"));
      replicas.push(replica);
    }
    expect(replicas.map((replica) => replica.text())).toEqual(["", ""]);
    await world.hub.flush();
    expect(replicas.map((replica) => replica.text())).toEqual(["word", "word"]);
  });

  test("B-18 more than fifty appended characters are written at once, forty after 100 ms", async () => {
    const world = await openWorld();
    const { id } = await createBlock(world);
    const author = await authorOf(world, model("run"));
    const replica = new TestReplica(id);
    await replica.join(world);
    await world.hub.editor.append(author, id, "x".repeat(50));
    await atRest();
    expect(replica.text()).toBe("");
    await world.hub.editor.append(author, id, "y");
    expect(replica.text()).toHaveLength(51);
    await world.hub.editor.append(author, id, "z".repeat(40));
    await world.clock.advance(99);
    expect(replica.text()).toHaveLength(51);
    await world.clock.advance(1);
    expect(replica.text()).toHaveLength(91);
  });

  test("B-16 a done block refuses text until it is running again", async () => {
    const world = await openWorld();
    const { id } = await createBlock(world);
    const author = await authorOf(world, model("run"));
    await world.hub.editor.setStatus(author, id, "done");
    expect(codeOf(await world.hub.editor.append(author, id, "late\n"))).toBe("STATUS_CONFLICT");
    expect(codeOf(await world.hub.editor.edit(author, id, { changes: [insertion(0, "late")] }))).toBe(
      "STATUS_CONFLICT",
    );
    await world.hub.editor.setStatus(author, id, "running");
    expect(codeOf(await world.hub.editor.append(author, id, "again\n"))).toBe("ok");
    expect(await textOf(world, id)).toBe("again\n");
  });

  test("14.10 the first write sets a pending block to running, as one version", async () => {
    const world = await openWorld();
    const { id } = await createBlock(world, { status: "pending" });
    const author = await authorOf(world, model("run"));
    await world.hub.editor.append(author, id, "line\n");
    expect(accept(await world.hub.reader.read(id)).header).toMatchObject({ status: "running", version: 2 });
  });

  test("buffered text is written at once when a later edit is refused by its guard", async () => {
    const world = await openWorld();
    const { id } = await createBlock(world);
    const author = await authorOf(world, model("run"));
    const replica = new TestReplica(id);
    await replica.join(world);
    accept(await world.hub.editor.append(author, id, "half a line"));
    const guard = {
      type: "guard-lease",
      canvasId: id,
      leaseId: "no lease" as LeaseId,
      holder: "run" as RunId,
      epoch: 1,
      monotonicMs: 0,
    } as const;
    const edited = await world.hub.editor.edit(author, id, { changes: [insertion(0, "no ")] }, { guards: [guard] });
    expect(codeOf(edited)).toBe("LOCK_NOT_OWNED");
    expect(replica.text()).toBe("half a line");
    expect(await world.store.block(id)).toMatchObject({ version: 2 });
  });

  test("half of a surrogate pair waits for its other half", async () => {
    const world = await openWorld();
    const { id } = await createBlock(world);
    const author = await authorOf(world, model("run"));
    const [high = "", low = ""] = "😀".split("");
    await world.hub.editor.append(author, id, `a\n${high}`);
    expect(await textOf(world, id)).toBe("a\n");
    await world.hub.editor.append(author, id, low);
    expect(await textOf(world, id)).toBe("a\n😀");
    await world.hub.editor.append(author, id, high);
    await world.hub.editor.setStatus(author, id, "done");
    expect(await textOf(world, id)).toBe("a\n😀\ufffd");
  });

  test("B-19 setStatus flushes buffered text before the status, in one delivery", async () => {
    const world = await openWorld();
    const { id } = await createBlock(world);
    const author = await authorOf(world, model("run"));
    const replica = new TestReplica(id);
    await replica.join(world);
    await world.hub.editor.append(author, id, "no newline");
    await world.hub.editor.setStatus(author, id, "done");
    expect(kindsOf(replica.deliveries)).toEqual([["text", "status"]]);
    expect(replica.deliveries[0]?.[0]?.body).toMatchObject({ appended: "no newline" });
  });

  test("B-30 watchers receive a tool's last output and its final status in one delivery", async () => {
    const world = await openWorld();
    const { id } = await createBlock(world, { kind: "tool_result" });
    const author = await authorOf(world, model("run"));
    const replica = new TestReplica(id);
    await replica.join(world);
    for (const piece of ["first\n", "second\n", "third"]) await world.hub.editor.append(author, id, piece);
    await world.hub.editor.setStatus(author, id, "done");
    const last = replica.deliveries.at(-1) ?? [];
    expect(last.map(({ body }) => (body.type === "text" ? body.appended : body.type))).toEqual(["third", "status"]);
  });

  test("B-20 every kind of read includes text buffered just before", async () => {
    const world = await openWorld();
    const { id } = await createBlock(world);
    const author = await authorOf(world, model("run"));
    await world.hub.editor.append(author, id, "abc");
    expect(await textOf(world, id)).toBe("abc");
    await world.hub.editor.append(author, id, "def");
    const replica = new TestReplica(id);
    await replica.join(world);
    expect(replica.text()).toBe("abcdef");
    await world.hub.editor.append(author, id, "ghi");
    const edited = await world.hub.editor.editWith(author, id, ({ text }) => {
      expect(text).toBe("abcdefghi");
      return { ok: true, value: { changes: [insertion(0, ">")] } };
    });
    expect(accept(edited).text).toBe(">abcdefghi");
  });

  test("text of a retried commit stays before text streamed meanwhile", async () => {
    const { world, hold, release } = await openHeldWorld();
    const { id } = await createBlock(world);
    const scribe = await authorOf(world, model("run"));
    const ada = await authorOf(world, person("ada"));
    const replica = new TestReplica(id);
    await replica.join(world);
    const request = requestId();
    accept(await world.hub.editor.push(ada, id, replica.edit(ada.replica, [insertion(0, "> ")]), request));
    hold();
    const first = world.hub.editor.append(scribe, id, "one\n");
    // The id is already in the log, so the store refuses the whole commit.
    const repeated = world.hub.editor.push(ada, id, replica.edit(ada.replica, [insertion(0, "!")]), request);
    await atRest();
    const second = world.hub.editor.append(scribe, id, "two\n");
    await release();
    expect([accept(await first).version, accept(await second).version, accept(await repeated).version]).toEqual([
      4, 4, 2,
    ]);
    expect(await textOf(world, id)).toBe("> one\ntwo\n");
  });

  test("a full disk ends the stream and sets the block's status to error", async () => {
    let full = false;
    const store = openMemoryStore(undefined, { fault: () => (full ? "STORE_FULL" : null) });
    const world = await openWorld(store);
    const { id } = await createBlock(world);
    const author = await authorOf(world, model("run"));
    await world.hub.editor.append(author, id, "kept\n");
    full = true;
    expect(codeOf(await world.hub.editor.append(author, id, "lost\n"))).toBe("STORE_FULL");
    full = false;
    expect(codeOf(await world.hub.editor.append(author, id, "after the gap\n"))).toBe("STORE_FULL");
    await world.hub.editor.setStatus(author, id, "done");
    const { header, text } = accept(await world.hub.reader.read(id));
    expect(text).toBe("kept\n");
    expect(header.status).toBe("error");
  });
});
