import { ok } from "../../core/base/result.ts";
import type { presetCommands } from "../../core/protocol/command/preset.ts";
import type { Performs } from "./base/call.ts";

export const performPreset: Performs<keyof typeof presetCommands> = {
  "preset.list": async ({ workspace }) => ok(await workspace.conversations.presets.list()),
  "preset.put": ({ workspace, remember }, preset) => workspace.conversations.presets.put(preset, remember),
  "preset.delete": ({ workspace, remember }, { name }) => workspace.conversations.presets.remove(name, remember),
  "preset.activate": ({ workspace, remember }, { name }) => workspace.conversations.presets.activate(name, remember),
};
