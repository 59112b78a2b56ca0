import { refusal, type Refusal } from "../../../core/base/errors.ts";
import type { CommandName, CommandParams } from "../../../core/protocol/commands.ts";
import type { ReadCommand } from "../../../core/protocol/read-command.ts";
import { workspaceKey } from "../../../core/rights/object-key.ts";
import type { LockableSetting } from "../../../core/rights/setting-lock.ts";
import { roleTest, shareWorkspace, type Member } from "../../access/member.ts";

type SettingsOf = { readonly [Name in CommandName]?: (params: CommandParams<Name>) => readonly LockableSetting[] };

/** The lockable settings that a command changes. */
const settingsOf = {
  "conversation.rules": ({ approvals, budget }) => [
    ...(approvals === undefined ? [] : (["approvals"] as const)),
    ...(budget === undefined ? [] : (["budgets"] as const)),
  ],
  "conversation.create": ({ systemPrompt, thinking, toolsOff, fallbacks, serverTools }) =>
    [systemPrompt, thinking, toolsOff, fallbacks, serverTools].every((given) => given === undefined) ? [] : ["replies"],
  "conversation.settings": () => ["replies"],
  "canvas.set-policy": () => ["edit-policy"],
  "preset.put": () => ["presets"],
  "preset.delete": () => ["presets"],
  "preset.activate": () => ["presets"],
} satisfies SettingsOf;

/** Returns why somebody may not change a setting although their role allows it: an owner of the workspace locked it. */
export function whyLocked({ id, keeper }: Member, { name, params }: ReadCommand): Refusal | null {
  const { locks, people } = keeper.rights;
  if (locks.size === 0) return null;
  const changed = (settingsOf as SettingsOf)[name]?.(params as never) ?? [];
  const locked = changed.find((setting) => locks.has(setting));
  if (locked === undefined || roleTest(keeper, id)([workspaceKey], "owner")) return null;
  const lockedBy = locks.get(locked);
  const isNamed = lockedBy !== undefined && shareWorkspace(keeper, id, lockedBy);
  const by = (isNamed ? people.get(lockedBy) : undefined) ?? "an owner";
  return refusal(
    "SETTING_LOCKED",
    { setting: locked, by },
    `${by} locked this setting. Nothing was changed; ask an owner of the workspace.`,
  );
}
