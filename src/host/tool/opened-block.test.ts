import { describe, expect, test } from "vitest";
import { refusal } from "../../core/base/errors.ts";
import type { BlockId } from "../../core/base/ids.ts";
import type { BlockHeader } from "../../core/block/types.ts";
import {
  guardsOf,
  isInReach,
  isLeftOut,
  openForTool,
  openToRead,
  reachableBlocks,
  recordRead,
  recordWrite,
} from "./opened-block.ts";
import { keepLateEdit, noteSeen, seenCanvas, suggestEdit } from "./canvas-edit.ts";
import type { BlockToolRun } from "./runnable.ts";

const file: Partial<BlockHeader> = {
  kind: "file",
  documentId: "doc_file" as never,
  metadata: { path: "a.md", folder: "folder" },
};
const canvas: Partial<BlockHeader> = { kind: "file", documentId: "doc_canvas" as never, metadata: {}, policy: "live" };
const part: Partial<BlockHeader> = { kind: "text", documentId: "root" as never, metadata: {} };
const grant = { leaseId: "lease", canvasId: "canvas", draftId: null };

interface World {
  readonly header?: Partial<BlockHeader>;
  readonly id?: string;
  readonly agent?: string | null;
  readonly folderId?: string | null;
  readonly folder?: object | null;
  readonly canvases?: boolean;
  readonly holds?: boolean;
  readonly read?: object;
  readonly wasTaken?: boolean;
  readonly suggested?: object | null;
  readonly aborted?: boolean;
}

/** A caller in a conversation `root`, by default an agent in the folder that holds the lease. */
function world({
  header = {},
  id = "block",
  agent = "run",
  folderId = "folder",
  folder = null,
  canvases = true,
  holds = true,
  ...more
}: World = {}) {
  const noted: unknown[] = [];
  const whole = { id, version: 3, status: "done", ...header } as unknown as BlockHeader;
  const reading = { ok: true, value: { header: whole, text: "Hello" } };
  const seen = { header: whole, text: "Hello, as suggested", openHunks: 2, conflictingHunks: 0 };
  const suggestion = more.suggested === undefined ? { id: "sug", hunks: [1, 2] } : more.suggested;
  const run = {
    documentId: "root",
    folderId,
    folder,
    canvases,
    leaseHolder: agent,
    draft: undefined,
    signal: { aborted: more.aborted ?? false },
    author: async () => ({ actor: { type: "model" } }),
    ports: {
      store: { path: async () => [] },
      folders: { folderOf: ({ metadata }: BlockHeader) => metadata["folder"] ?? null },
      hub: {
        reader: {
          read: async () => more.read ?? reading,
          list: async (of: string | null) => (of === null ? files : [whole]),
        },
        suggestions: {
          view: async () => ({ ok: true, value: seen }),
          suggest: async (_by: unknown, wish: { plan: (view: object) => object }) => {
            const planned = wish.plan({ text: "Hello" }) as { ok: boolean };
            noted.push({ suggests: { ...wish, plan: planned } });
            return planned.ok ? { ok: true, value: { ...seen, suggestion } } : planned;
          },
        },
      },
      leases: {
        grantOf: () => (holds ? grant : undefined),
        grant: () => (holds ? grant : undefined),
        use: async (use: object) => ({ ok: true, value: { ...grant, ...use } }),
        guard: () => "guard",
        noteWrite: (...what: readonly unknown[]) => noted.push({ wrote: what }),
        noteView: (...what: readonly unknown[]) => noted.push({ view: what }),
        noteRevision: (...what: readonly unknown[]) => noted.push({ revision: what }),
        noteSuggested: (...what: readonly unknown[]) => noted.push({ suggested: what }),
        wasTaken: async () => more.wasTaken ?? true,
      },
    },
  } as unknown as BlockToolRun;
  return { run, noted, header: whole };
}
const files = [
  { ...file, id: "mine" },
  { ...canvas, id: "canvas" },
  { ...file, id: "theirs", metadata: { path: "b.md", folder: "other" } },
  { ...part, kind: "file", id: "own" },
] as unknown as readonly BlockHeader[];

const open = async (facts: World): Promise<string> => {
  const opened = await openForTool((facts.id ?? "block") as BlockId, world(facts).run);
  return opened.ok
    ? opened.value.grant === null
      ? opened.value.reading.text
      : `${opened.value.reading.text} under ${opened.value.grant.leaseId}`
    : opened.error.code;
};
const inTrash = (type: string): object => ({ ok: false, error: refusal("IN_TRASH", { type }) });

describe("a block that a tool works on", () => {
  test.each<readonly [what: string, facts: World, expected: string]>([
    ["is a file of the agent's folder", { header: file }, "Hello"],
    ["is no file of another folder", { header: file, folderId: "other" }, "BLOCK_NOT_FOUND"],
    ["is any file for a person", { header: file, folderId: "other", agent: null }, "Hello"],
    [
      "is no file of a folder that is away",
      { header: file, folder: { ok: false, error: refusal("FOLDER_READ_ONLY", {}) } },
      "FOLDER_READ_ONLY",
    ],
    [
      "is a canvas while a folder is away",
      { header: canvas, folder: { ok: false, error: refusal("FOLDER_READ_ONLY", {}) } },
      "Hello under lease",
    ],
    ["is a part of its own conversation", { header: part, id: "root/1/1" }, "Hello"],
    ["is no part of another conversation", { header: part, id: "root2/1/1" }, "BLOCK_NOT_FOUND"],
    ["is a canvas under the agent's lease", { header: canvas }, "Hello under lease"],
    ["is no canvas without the lease", { header: canvas, holds: false }, "LOCK_NOT_OWNED"],
    ["is a canvas without a lease for a person", { header: canvas, agent: null, holds: false }, "Hello"],
    ["is no canvas where canvases are switched off", { header: canvas, canvases: false }, "BLOCK_NOT_FOUND"],
    [
      "is read with the agent's suggestions under Suggest",
      { header: { ...canvas, policy: "suggest" } },
      "Hello, as suggested under lease",
    ],
    ["is no message", { id: "root_1/node_1/0" }, "BLOCK_NOT_FOUND"],
    ["is in the trash, where a document was deleted", { read: inTrash("canvas") }, "IN_TRASH"],
    ["does not exist, where a part of another conversation was deleted", { read: inTrash("block") }, "BLOCK_NOT_FOUND"],
    ["is in the trash, where its own part was deleted", { read: inTrash("block"), id: "root/1/1" }, "IN_TRASH"],
    ["was never there", { read: { ok: false, error: refusal("BLOCK_NOT_FOUND", {}) } }, "BLOCK_NOT_FOUND"],
  ])("%s", async (_what, facts, expected) => {
    expect(await open(facts)).toBe(expected);
  });

  test("is read as it is worked on, where it is no message", async () => {
    const { run } = world({ header: file });
    expect(await openToRead("block" as BlockId, run)).toMatchObject({
      ok: true,
      value: { reading: { text: "Hello" }, grant: null },
    });
  });
});

describe("the blocks in reach", () => {
  const ids = async (facts: World): Promise<readonly string[]> =>
    (await reachableBlocks(world(facts).run)).map(({ id }) => id);
  test("are the files of the folder, canvases, and then those of the conversation", async () => {
    expect(await ids({ id: "root/1" })).toEqual(["mine", "canvas", "root/1"]);
    expect(await ids({ id: "root/1", canvases: false })).toEqual(["mine", "root/1"]);
    expect(await ids({ id: "root/1", agent: null })).toEqual(["mine", "canvas", "theirs", "root/1"]);
  });

  test("a file without a path is in everybody's", () => {
    const { run } = world({ folderId: null });
    expect(files.map((header) => isInReach(header, run))).toEqual([false, true, false, true]);
  });
});

test("a block that people excluded is left out for agents, and for nobody else", () => {
  const [agent, one] = [world().run, world({ agent: null }).run];
  expect([isLeftOut({ excluded: true }, agent), isLeftOut({ excluded: true }, one)]).toEqual([true, false]);
  expect(isLeftOut({ excluded: false }, agent)).toBe(false);
});

describe("what a lease notes", () => {
  test("is nothing where no lease is needed", () => {
    const { run, noted, header } = world({ header: file });
    const opened = { reading: { header, text: "Hello" } as never, grant: null };
    expect([
      guardsOf(opened, run),
      recordRead(opened, run, {}).ok,
      recordWrite(opened, run, { version: 4, text: "x" } as never),
    ]).toEqual([undefined, true, expect.stringMatching(/^4/)]);
    expect(noted).toEqual([]);
  });

  test("is the revision that was read or written; under Suggest the text that was shown", () => {
    const free = world({ header: canvas });
    const opened = { reading: { header: free.header, text: "Hello" } as never, grant: grant as never };
    expect(guardsOf(opened, free.run)).toEqual(["guard"]);
    recordRead(opened, free.run, {});
    const revision = recordWrite(opened, free.run, { version: 4, text: "x" } as never);
    expect(free.noted).toEqual([
      { revision: ["lease", expect.stringMatching(/^3/)] },
      { wrote: ["lease", { revisionId: revision, version: 4, patchHash: null }] },
    ]);
    const suggest = world({ header: { ...canvas, policy: "suggest" } });
    noteSeen("lease" as never, { header: suggest.header, text: "Hi", revisionId: "r" }, suggest.run);
    expect(suggest.noted).toEqual([{ view: ["lease", { revisionId: "r", version: 3, text: "Hi" }] }]);
  });
});

describe("a canvas under review", () => {
  test("is seen with its own suggestions by the agent, and as it is by everybody else", async () => {
    const header = { ...canvas, policy: "suggest" } as const;
    const text = async (facts: World): Promise<unknown> => {
      const seen = await seenCanvas("block" as BlockId, world(facts).run);
      return seen.ok ? [seen.value.text, seen.value.openHunks] : seen.error.code;
    };
    expect([await text({ header }), await text({ header, agent: null }), await text({ header: canvas })]).toEqual([
      ["Hello, as suggested", 2],
      ["Hello", 0],
      ["Hello", 0],
    ]);
    expect(await text({ read: { ok: false, error: refusal("BLOCK_NOT_FOUND", {}) } })).toBe("BLOCK_NOT_FOUND");
  });

  const plan = (base: string) => () =>
    ({ ok: true, value: { base, changes: [{ from: 0, to: 0, insert: "Oh. " }] } }) as const;
  const edit = { grant: grant as never, patchHash: "hash" };

  test("keeps an edit as a suggestion, and says whether others wrote meanwhile", async () => {
    const { run, noted } = world({ header: { ...canvas, policy: "suggest" } });
    expect(await suggestEdit({ ...edit, plan: plan("Hello") }, run)).toMatchObject({
      ok: true,
      value: { merged: false },
    });
    expect(noted).toMatchObject([
      { suggests: { reason: "policy", guards: ["guard"], dryRun: false } },
      { suggested: ["lease", { patchHash: "hash" }] },
    ]);
    expect(await suggestEdit({ ...edit, plan: plan("Hell") }, run)).toMatchObject({
      ok: true,
      value: { merged: true },
    });
  });

  test("notes nothing of a dry run, nor of a call that was stopped or cannot be planned", async () => {
    const dry = world();
    expect((await suggestEdit({ ...edit, plan: plan("Hello"), dryRun: true }, dry.run)).ok).toBe(true);
    const stopped = world({ aborted: true });
    expect(await suggestEdit({ ...edit, plan: plan("Hello") }, stopped.run)).toMatchObject({
      error: { code: "TOOL_FAILED" },
    });
    const no = { ok: false, error: refusal("CONFLICT", {}) } as const;
    const unplanned = world();
    expect(await suggestEdit({ ...edit, plan: () => no }, unplanned.run)).toEqual(no);
    for (const { noted } of [dry, stopped, unplanned])
      expect(noted.some((each) => "suggested" in (each as object))).toBe(false);
  });

  describe("that a person took meanwhile", () => {
    const stale = refusal("STALE_EPOCH", { canvas_id: "canvas" });
    const planned = async () => plan("Hello")();
    const kept = (refused: Parameters<typeof keepLateEdit>[0], facts: World = {}, late = planned as never) =>
      keepLateEdit(refused, { grant: grant as never, edit: late }, world(facts).run);

    test("the late edit is kept as a suggestion, which the refusal says", async () => {
      const refused = await kept(stale);
      expect(refused).toMatchObject({
        code: "STALE_EPOCH",
        details: { canvas_id: "canvas", kept_as_suggestion: true, suggestion_id: "sug", suggested_hunks: 2 },
      });
      expect(refused.message).toMatch(/^A person took control .* It is kept as a suggestion/);
      const again = await kept(stale, { suggested: null });
      expect([again.details?.["kept_as_suggestion"], again.message.includes("already kept")]).toEqual([false, true]);
      expect((await kept(refusal("STALE_EPOCH", {}, "Bob has it."))).message).toMatch(/^Bob has it\. It is kept/);
      expect((await kept(refusal("TOOL_FAILED", {}), { aborted: true })).code).toBe("STALE_EPOCH");
    });

    test("nothing is kept where no person took it, or the edit cannot be planned", async () => {
      const other = refusal("CONFLICT", {});
      expect(await kept(other)).toBe(other);
      expect((await kept(stale, { wasTaken: false })).details).toMatchObject({ ran_out: true });
      expect(await kept(other, { wasTaken: false, aborted: true })).toBe(other);
      expect(await kept(stale, {}, (async () => ({ ok: false, error: other })) as never)).toBe(stale);
    });
  });
});
