import * as v from "valibot";
import type { Preset, PresetList } from "../../turn/state/preset.ts";
import { onWorkspace } from "../base/access.ts";
import { command } from "../base/command-row.ts";
import { shown, completions, described, maxTokens, nothing, temperature, title } from "../base/parts.ts";

const name = v.pipe(title, v.description("Name of the preset."), v.examples(["wild"]));

/** Named settings. */
export const preset: v.GenericSchema<unknown, Preset> = v.object({
  name,
  n: v.exactOptional(completions),
  temperature: v.exactOptional(temperature),
  maxTokens: v.exactOptional(maxTokens),
});

/** All presets and the active one. */
export const presetList: v.GenericSchema<unknown, PresetList> = v.object({
  presets: v.array(preset),
  active: described(v.nullable(shown("wild")), "Name of the active preset; null for none."),
});

export const presetCommands = {
  "preset.list": command({
    description: "Lists the presets by name, and the active preset.",
    params: nothing,
    access: onWorkspace("workspace.list"),
    answer: presetList,
  }),
  "preset.put": command({
    description: "Adds a preset, or replaces the preset with that name.",
    params: preset,
    access: onWorkspace("workspace.manage"),
    answer: presetList,
    refusals: ["SETTING_LOCKED"],
  }),
  "preset.delete": command({
    description: "Deletes a preset.",
    params: v.object({ name }),
    access: onWorkspace("workspace.manage"),
    answer: presetList,
    refusals: ["NOT_FOUND", "SETTING_LOCKED"],
  }),
  "preset.activate": command({
    description: "Activates a preset: it applies to every request that leaves its settings out.",
    params: v.object({ name: described(v.nullable(name), "null for none.") }),
    access: onWorkspace("workspace.manage"),
    answer: presetList,
    refusals: ["NOT_FOUND", "SETTING_LOCKED"],
  }),
};
