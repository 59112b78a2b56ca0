import * as v from "valibot";
import { readsWorkspace } from "../base/access.ts";
import { command } from "../base/command-row.ts";
import { shown, described, nothing } from "../base/parts.ts";
import { modelPrices } from "../shape/usage.ts";

export const modelsCommands = {
  "models.list": command({
    description: "Lists the available models.",
    params: nothing,
    access: readsWorkspace,
    answer: v.object({
      models: v.array(
        v.object({
          id: v.pipe(v.string(), v.description("`provider/model`."), v.examples(["anthropic/claude-sonnet-4-5"])),
          name: shown("Claude Sonnet 4.5"),
          contextTokensMax: described(
            v.nullable(v.pipe(v.number(), v.examples([200_000]))),
            "Total window in tokens; null if unknown.",
          ),
          tools: described(v.boolean(), "Whether the model calls tools natively."),
          local: described(v.boolean(), "Whether the model runs on this machine."),
          vision: described(v.nullable(v.boolean()), "Whether the model reads images; null if unknown."),
          prices: described(v.nullable(modelPrices), "US dollars per million tokens; null if unknown."),
        }),
      ),
    }),
  }),
};
