import { afterAll, beforeAll, expect, test } from "vitest";
import type { HeddleClient } from "../../client/base/types.ts";
import { accept } from "../../core/base/result.test-support.ts";
import type { CommandName } from "../../core/protocol/commands.ts";
import { lockableSettings, type LockableSetting } from "../../core/rights/setting-lock.ts";
import { startTestTeam, type TestTeam } from "./team.test-support.ts";

let team: TestTeam;
let ada: HeddleClient;
let bob: HeddleClient;

beforeAll(async () => {
  team = await startTestTeam();
  await team.add("bob", "editor");
  [ada, bob] = [team.connect("ada"), team.connect("bob")];
});
afterAll(async () => {
  for (const client of [ada, bob]) client.close();
  await team.server.close();
});

/** Those that say who changes something; share links open nothing while they are locked (`visit.test.ts`). */
type Changed = Exclude<LockableSetting, "links">;
const changedSettings = lockableSettings.filter((each): each is Changed => each !== "links");

/** What changes each lockable setting; leaving one out does not compile. */
const changes: Readonly<Record<Changed, readonly (readonly [CommandName, object])[]>> = {
  approvals: [["conversation.rules", { approvals: "all" }]],
  budgets: [["conversation.rules", { budget: { tokens: 5 } }]],
  "edit-policy": [["canvas.set-policy", { policy: "live" }]],
  replies: [
    ["conversation.settings", { thinking: "low" }],
    ["conversation.create", { thinking: "low" }],
  ],
  presets: [
    ["preset.put", { name: "Brief", settings: {} }],
    ["preset.activate", { name: null }],
    ["preset.delete", { name: "Brief" }],
  ],
};

const lock = (setting: LockableSetting, locked: boolean) => ada.call("lock.set", { setting, locked });

test.each(changedSettings)(
  "21.8 %s, once locked, is changed by owners of the workspace alone, until it is unlocked",
  async (setting) => {
    // Bob owns both, so that his role is enough.
    const { rootId } = accept(await bob.call("conversation.create", { title: "Looms" }));
    const { canvasId } = accept(await bob.call("canvas.create", { title: "Looms", text: "warp\n" }));
    const bobs = { type: "person", id: "bob" } as never;
    accept(await ada.call("share.give", { on: { type: "conversation", id: rootId }, to: bobs, role: "owner" }));
    const codes = async (client: HeddleClient, of: Changed): Promise<readonly string[]> => {
      const got: string[] = [];
      for (const [name, given] of changes[of]) {
        const on = name === "canvas.set-policy" ? { canvasId } : /rules|settings/u.test(name) ? { rootId } : {};
        const answer = await client.call(name, { ...on, ...given });
        got.push(answer.ok ? "yes" : answer.error.code);
      }
      return got;
    };
    const refused = changes[setting].map(() => "SETTING_LOCKED");
    expect(await codes(bob, setting)).not.toContain("SETTING_LOCKED");
    accept(await lock(setting, true));
    expect(await codes(bob, setting)).toEqual(refused);
    expect(await codes(ada, setting)).not.toContain("SETTING_LOCKED");
    for (const other of changedSettings) {
      if (other !== setting) expect(await codes(bob, other)).not.toContain("SETTING_LOCKED");
    }
    expect(accept(await bob.call("lock.list", {}))).toEqual({
      locks: lockableSettings.map((each) => ({ setting: each, by: each === setting ? "Ada" : null })),
      mayManage: false,
    });
    accept(await lock(setting, false));
    expect(await codes(bob, setting)).not.toContain("SETTING_LOCKED");
  },
);

test("21.8 only owners lock, a refusal names who locked, and each lock is in the audit log", async () => {
  expect(await bob.call("lock.set", { setting: "presets", locked: true })).toMatchObject({
    error: { code: "FORBIDDEN" },
  });
  accept(await lock("presets", true));
  expect(await bob.call("preset.activate", { name: null })).toMatchObject({
    error: {
      code: "SETTING_LOCKED",
      message: expect.stringContaining("Ada locked this setting"),
      details: { setting: "presets", by: "Ada" },
    },
  });
  const [last] = (await team.server.workspace.store.audit(0, 1_000)).slice(-1);
  expect(last).toMatchObject({
    actor: "ada",
    act: "workspace.lock",
    outcome: "done",
    after: { rows: [{ type: "lock", setting: "presets", by: "ada" }] },
  });
  accept(await lock("presets", false));
});
