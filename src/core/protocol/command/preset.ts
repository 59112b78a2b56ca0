import * as v from "valibot";
import { completions, emptyParams, maxTokens, temperature, title } from "../parts.ts";

export const presetCommands = {
  "preset.list": emptyParams,
  "preset.put": v.object({
    name: title,
    n: v.exactOptional(completions),
    temperature: v.exactOptional(temperature),
    maxTokens: v.exactOptional(maxTokens),
  }),
  "preset.delete": v.object({ name: title }),
  "preset.activate": v.object({ name: v.nullable(title) }),
};
