import { ok } from "../../core/base/result.ts";
import type { lockCommands } from "../../core/protocol/command/lock.ts";
import { workspaceKey } from "../../core/rights/object-key.ts";
import { lockableSettings } from "../../core/rights/setting-lock.ts";
import { roleTest, shareWorkspace } from "../access/member.ts";
import { nothing, type Performs } from "./base/call.ts";
import { changeAs, withTeam } from "./base/with-team.ts";

export const performLock: Performs<keyof typeof lockCommands> = {
  "lock.list": withTeam(async ({ keeper, member }) => {
    const { locks, people } = keeper.rights;
    return ok({
      locks: lockableSettings.map((setting) => {
        const by = locks.get(setting);
        if (by === undefined) return { setting, by: null };
        return { setting, by: shareWorkspace(keeper, member.id, by) ? (people.get(by) ?? "") : "" };
      }),
      mayManage: roleTest(keeper, member.id)([workspaceKey], "owner"),
    });
  }),
  "lock.set": withTeam(async (call, { setting, locked }) =>
    nothing(
      await changeAs(call, {
        verb: "workspace.lock",
        chain: [workspaceKey],
        changes: [{ type: "lock-set", setting, by: locked ? call.member.id : null }],
        also: call.remember({}, null),
      }),
    ),
  ),
};
