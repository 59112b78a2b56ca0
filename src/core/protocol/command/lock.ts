import * as v from "valibot";
import { lockableSettings } from "../../rights/setting-lock.ts";
import { onWorkspace } from "../base/access.ts";
import { command } from "../base/command-row.ts";
import { described, nothing, shown } from "../base/parts.ts";

const setting = described(
  v.picklist(lockableSettings),
  "`approvals` and `budgets` of conversations, the `edit-policy` of canvases, how `replies` are asked for, the `presets`, or share `links`: while they are locked, none opens anything and nobody makes one.",
);

export const lockCommands = {
  "lock.list": command({
    description: "Lists the settings that an owner can lock, and who locked which.",
    params: nothing,
    access: onWorkspace("workspace.see"),
    answer: v.object({
      locks: v.array(
        v.object({
          setting,
          by: described(v.nullable(shown("Ada")), "The owner who locked it; null: it is not locked."),
        }),
      ),
      mayManage: described(v.boolean(), "Whether the caller may lock settings, and change locked ones."),
    }),
    refusals: ["FORBIDDEN"],
  }),
  "lock.set": command({
    description: "Locks a setting, so that owners of the workspace alone change it, or unlocks it; what is set stays.",
    params: v.object({ setting, locked: v.boolean() }),
    access: onWorkspace("workspace.lock"),
    answer: nothing,
    refusals: ["FORBIDDEN"],
  }),
};
