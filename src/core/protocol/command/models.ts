import * as v from "valibot";
import { readsWorkspace, writesWorkspace } from "../base/access.ts";
import { command } from "../base/command-row.ts";
import { shown, described, modelId, nothing } from "../base/parts.ts";
import { modelPrices } from "../shape/usage.ts";

export const modelsCommands = {
  "models.set-window": command({
    description: "Sets the context window of a model, over what its server or Heddle says.",
    params: v.object({
      model: modelId,
      contextTokens: described(
        v.nullable(v.pipe(v.number(), v.safeInteger(), v.minValue(256), v.examples([8_192]))),
        "Tokens, at least 256; null takes the setting back.",
      ),
    }),
    access: writesWorkspace,
    answer: nothing,
    refusals: ["MODEL_NOT_FOUND", "FORBIDDEN"],
  }),
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
