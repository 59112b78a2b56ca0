import * as v from "valibot";
import { onWorkspace } from "../base/access.ts";
import { command } from "../base/command-row.ts";
import { shown, described, modelId, nothing } from "../base/parts.ts";
import { askedModel, askedProblem } from "../shape/asked-model.ts";
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
    access: onWorkspace("workspace.set"),
    answer: nothing,
    refusals: ["MODEL_NOT_FOUND", "FORBIDDEN"],
  }),
  "models.set-default": command({
    description: "Sets the model of new conversations.",
    params: v.object({
      model: described(v.nullable(modelId), "null: the one Heddle was started with, else the first listed."),
    }),
    access: onWorkspace("workspace.set"),
    answer: nothing,
    refusals: ["MODEL_NOT_FOUND", "FORBIDDEN"],
  }),
  "models.syntaxes": command({
    description: "Lists the syntaxes of tool calls that can be chosen, and the files of the data folder that add some.",
    params: nothing,
    access: onWorkspace("workspace.list"),
    answer: v.object({
      syntaxes: v.array(
        v.object({
          id: shown("my-dialect"),
          title: shown("My dialect"),
          tier: v.picklist(["native", "taught", "model"]),
        }),
      ),
      files: v.array(
        v.object({
          name: described(shown("my-dialect.json"), "The file's name in the folder `syntaxes` of the data folder."),
          text: described(v.string(), "The file's text; empty if it has a mistake."),
          problem: described(v.nullable(v.string()), "The mistake for which the file is not used; null without one."),
        }),
      ),
    }),
  }),
  "models.ask": command({
    description:
      "Asks each provider that has a key, or needs none, for its models, and says which one refused and why.",
    params: nothing,
    access: onWorkspace("workspace.ask"),
    answer: v.object({
      providers: v.array(
        v.object({
          id: shown("anthropic"),
          name: shown("Anthropic"),
          address: shown("https://api.anthropic.com"),
          problem: askedProblem,
          models: v.array(askedModel),
        }),
      ),
    }),
  }),
  "models.list": command({
    description: "Lists the available models.",
    params: v.object({
      model: v.exactOptional(
        described(modelId, "A model whose server is asked for its window and chat template first."),
      ),
    }),
    access: onWorkspace("workspace.list"),
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
          proposedSyntax: described(
            v.nullable(v.pipe(v.string(), v.examples(["qwen-xml"]))),
            "The tool syntax whose marks the model's chat template holds; null if none was recognised.",
          ),
          local: described(v.boolean(), "Whether the model runs on this machine."),
          vision: described(v.nullable(v.boolean()), "Whether the model reads images; null if unknown."),
          prices: described(v.nullable(modelPrices), "US dollars per million tokens; null if unknown."),
        }),
      ),
    }),
  }),
};
