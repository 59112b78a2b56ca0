import { afterEach, describe, expect, test } from "vitest";
import type { StoreWrite } from "../../core/port/store.ts";
import type { Access } from "../../core/protocol/base/access.ts";
import type { Grant } from "../../core/protocol/base/grant.ts";
import { commands, type CommandName, type CommandParams } from "../../core/protocol/commands.ts";
import { rights } from "../../core/rights/token-right.ts";
import { verbRow } from "../../core/rights/verb-table.ts";
import type { Asking } from "../access/member.ts";
import { cases, changing, names } from "./every-command-cases.test-support.ts";
import { closeAll, newFolder, Setup } from "./every-command.test-support.ts";

afterEach(closeAll);

/** What a webhook's receiver answered is stored when it comes. */
const quietMs = (name: CommandName): number => (name.startsWith("webhook.") ? 150 : 15);

describe("C-38 a command repeated with its request id takes effect once and gets the same answer", () => {
  test.each(changing)("%s", async (name) => {
    const setup = await Setup.open(newFolder());
    const given = cases[name];
    const params = await paramsOf(name, setup);
    const { perform } = { perform: (at: Setup) => at.perform(name, params, "the-same") };
    const commitsBefore = setup.commits.length;
    // The second request arrives while the first runs.
    const [answer, twin] = await Promise.all([perform(setup), perform(setup)]);
    expect(answer).toMatchObject({ ok: true });
    expect(twin).toEqual(answer);
    await setup.rest(quietMs(name));

    const records = setup.commits.slice(commitsBefore).filter(hasRecord);
    expect(records).toHaveLength(1);
    // The record is in the transaction of the effect, so that a crash cannot separate them.
    expect(records[0]?.length === 1).toBe(given !== "reads" && given.outside === true);

    const [commits, changes] = [setup.commits.length, setup.outside.count];
    expect(await perform(setup)).toEqual(answer);
    await setup.rest(quietMs(name));
    expect([setup.commits.length, setup.outside.count]).toEqual([commits, changes]);

    const other = await setup.perform("preset.put", { name: "another request" }, "the-same");
    expect(other).toMatchObject({ ok: false, error: { code: "REQUEST_ID_REUSED" } });

    const later = await Setup.open(setup.folder, setup.store.image());
    const commitsThere = later.commits.length;
    expect(await perform(later)).toEqual(answer);
    await later.rest(quietMs(name));
    expect([later.commits.slice(commitsThere), later.outside.count]).toEqual([[], 0]);
  });

  test("every command listed as a read only reads", () => {
    const wrong = names.filter((name) => {
      const on = { type: "document", id: "b" };
      const ids = { rootId: "r", canvasId: "c", blockId: "b", nodeId: "n", runId: "r", turnId: "t" };
      const params = { ...ids, on, from: { blockId: "b" } };
      const [verb] = (commands[name].access as (given: unknown) => Access)(params);
      return !verbRow(verb).changes !== (cases[name] === "reads");
    });
    expect(wrong).toEqual([]);
  });
});

describe("19.11 a command whose answer was lost answers the repeat", () => {
  test.each(changing)("%s, lost between the store and the server, which ends and starts again", async (name) => {
    const setup = await Setup.open(newFolder());
    const params = await paramsOf(name, setup);
    setup.loseAnswers();
    const unheard = await setup.perform(name, params, "the-same").catch(() => null);

    const later = await Setup.open(setup.folder, setup.store.image());
    const commits = later.commits.length;
    const answer = await later.perform(name, params, "the-same");
    expect(answer).toMatchObject({ ok: true });
    if (unheard?.ok === true) expect(answer).toEqual(unheard);
    await later.rest(quietMs(name));
    expect([later.commits.slice(commits), later.outside.count]).toEqual([[], 0]);
  });

  test.each(changing)("%s, to a person with an account and to a scoped token, who reach what it left", async (name) => {
    const callers = { member: async (at: Setup) => ({ member: at.owner() }), token: scopedToken };
    for (const [kind, askingIn] of Object.entries(callers)) {
      const setup = await Setup.open(newFolder());
      const params = await paramsOf(name, setup);
      const asking = await askingIn(setup);
      const answer = await setup.perform(name, params, "the-same", asking);
      expect([kind, answer.ok]).toEqual([kind, isOffered(kind, name, params)]);
      if (!answer.ok) continue;
      await setup.rest(quietMs(name));
      const [commits, changes] = [setup.commits.length, setup.outside.count];
      expect(await setup.perform(name, params, "the-same", asking)).toEqual(answer);
      await setup.rest(quietMs(name));
      expect([setup.commits.length, setup.outside.count]).toEqual([commits, changes]);
    }
  });

  test("a scoped token gets no answer that its person got without it", async () => {
    const setup = await Setup.open(newFolder());
    const params = { rootId: await setup.root(), title: "Renamed" };
    const stranger = { grant: { ...noGrant, scope: { folderIds: [], rootIds: [], canvasIds: [] } } };
    expect(await setup.perform("conversation.rename", params, "the-same")).toMatchObject({ ok: true });
    expect(await setup.perform("conversation.rename", params, "the-same", stranger)).toMatchObject({
      ok: false,
      error: { code: "ROOT_NOT_FOUND" },
    });
  });
});

/** Returns whether a command is for people with accounts, or for tokens that reach single conversations and canvases. */
function isOffered(kind: string, name: CommandName, params: object): boolean {
  const [verb, { type }] = (commands[name].access as (given: unknown) => Access)(params);
  return kind === "member"
    ? name !== "conversation.for-settings" && name !== "webhook.create"
    : verbRow(verb).token !== null && type !== "workspace" && type !== "folder" && !name.startsWith("share.");
}

const noGrant: Grant = { id: "token_1", name: "Loom", rights, scope: null };

/** A token for the conversations and canvases that there are. */
async function scopedToken({ store }: Setup): Promise<Asking> {
  const rootIds = (await store.roots()).map(({ id }) => id);
  const canvasIds = (await store.blocks(null)).map(({ id }) => id);
  return { member: null, grant: { ...noGrant, scope: { folderIds: [], rootIds, canvasIds } } };
}

async function paramsOf<Name extends CommandName>(name: Name, setup: Setup): Promise<CommandParams<Name>> {
  const given = cases[name];
  if (given === "reads") throw new Error("the command changes something");
  return given.params(setup);
}

function hasRecord(writes: readonly StoreWrite[]): boolean {
  return writes.some(({ type }) => type === "put-request");
}
