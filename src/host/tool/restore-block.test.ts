import { describe, expect, test } from "vitest";
import { must } from "../../core/base/assert.ts";
import { runnableBlockTools } from "./block-tools.ts";
import type { BlockToolRun } from "./runnable.ts";

const restore = must(
  runnableBlockTools.find(({ spec }) => spec.name === "block_restore"),
  "the tool restores blocks",
);
const model = { type: "model", runId: "run" };
const inFolder = (folder: string): object => ({
  id: "doc_1/1/1",
  kind: "file",
  documentId: "doc_1",
  metadata: { path: "a.md", folder },
});

interface World {
  readonly id?: string;
  readonly entry?: object | null;
  readonly header?: object | null;
  /** What reads of the block find. */
  readonly known?: object | null;
  readonly agent?: string | null;
  readonly aborted?: boolean;
}

/** Restores as an agent of the conversation `root` in the folder `mine`; returns the version, or the code of the refusal. */
async function restored({
  id = "doc_1/1/1",
  agent = "run",
  header = inFolder("mine"),
  known = null,
  aborted = false,
  ...world
}: World): Promise<unknown> {
  const entry = world.entry === undefined ? { by: model, object: { type: "canvas", blockId: id } } : world.entry;
  const run = {
    documentId: "root",
    folderId: "mine",
    folder: null,
    canvases: true,
    leaseHolder: agent,
    signal: { aborted },
    author: async () => ({}),
    ports: {
      store: {
        trashed: async () => entry,
        block: async () => header,
        run: async (of: string) =>
          of === "earlier" ? { rootId: "root" } : of === "foreign" ? { rootId: "other" } : null,
      },
      folders: { folderOf: ({ metadata }: { metadata: { folder?: string } }) => metadata.folder ?? null },
      hub: {
        reader: {
          read: async () => (known === null ? { ok: false } : { ok: true, value: { header: { id, ...known } } }),
        },
        deletion: { restore: async () => ({ ok: true, value: { version: 4 } }) },
      },
    },
  } as unknown as BlockToolRun;
  const answer = await restore.run({ block_id: id }, run);
  return answer.ok ? answer.value.content["version"] : answer.error.code;
}
const by = (actor: object): object => ({ by: actor, object: { type: "canvas", blockId: "doc_1/1/1" } });

describe("what an agent deleted", () => {
  test.each<readonly [what: string, world: World, expected: unknown]>([
    ["its own run restores", {}, 4],
    ["a later run of its conversation restores", { entry: by({ type: "model", runId: "earlier" }) }, 4],
    ["another conversation's agent does not", { entry: by({ type: "model", runId: "foreign" }) }, "TRASH_NOT_YOURS"],
    ["an agent of a run that is gone does not", { entry: by({ type: "model", runId: "gone" }) }, "TRASH_NOT_YOURS"],
    ["no agent restores where a person deleted", { entry: by({ type: "person" }) }, "TRASH_NOT_YOURS"],
    ["a person restores, whoever deleted", { agent: null, entry: by({ type: "person" }) }, 4],
    ["no agent restores in another folder", { header: inFolder("theirs") }, "BLOCK_NOT_FOUND"],
    ["a person restores in any folder", { agent: null, header: inFolder("theirs") }, 4],
    ["a stopped call does not restore", { aborted: true }, "TOOL_FAILED"],
    [
      "is no conversation's to restore as a block",
      { entry: { by: model, object: { type: "conversation" } } },
      "BLOCK_NOT_FOUND",
    ],
    [
      "of another conversation is not known",
      { entry: { by: model, object: { type: "block", blockId: "other/1/1" } }, id: "other/1/1" },
      "BLOCK_NOT_FOUND",
    ],
    [
      "of its own conversation is",
      { entry: { by: model, object: { type: "block", blockId: "root/1/1" } }, id: "root/1/1" },
      4,
    ],
  ])("%s", async (_what, world, expected) => {
    expect(await restored(world)).toBe(expected);
  });

  test("is not in the trash, where it is a document or a part of the conversation", async () => {
    const code = (id: string, known: object | null): Promise<unknown> => restored({ id, known, entry: null });
    expect(await code("doc_1/1/1", inFolder("mine"))).toBe("NOT_IN_TRASH");
    expect(await code("root/1/1", { kind: "text" })).toBe("NOT_IN_TRASH");
    expect(await code("other/1/1", { kind: "text" })).toBe("BLOCK_NOT_FOUND");
    expect(await code("doc_1/1/1", null)).toBe("BLOCK_NOT_FOUND");
  });
});
