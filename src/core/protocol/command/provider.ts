import * as v from "valibot";
import { onWorkspace } from "../base/access.ts";
import { command } from "../base/command-row.ts";
import { addressForm, shown, described, modelId, nothing } from "../base/parts.ts";
import type { KeyState, ProviderState } from "../base/provider-state.ts";
import { askedModel, askedProblem } from "../shape/asked-model.ts";
import { providerId as provider, providerKey as key } from "../shape/provider-key.ts";

/** Where requests go; a name or a password in it would be shown to people. */
const address = v.pipe(
  v.string(),
  v.trim(),
  v.maxLength(2_000),
  v.regex(addressForm, "an http or https address without a name or password"),
  v.description("Base address of the server, such as `http://127.0.0.1:8080/v1`."),
  v.examples(["http://127.0.0.1:8080/v1"]),
);
const api = v.pipe(
  v.string(),
  v.regex(/^[a-z0-9-]{1,40}$/, "the name of a format"),
  v.description("The format that it speaks, as `api` of `models.json`."),
  v.examples(["openai-chat"]),
);
const name = v.pipe(
  v.string(),
  v.trim(),
  v.regex(/^[^\p{C}]{1,60}$/u, "1 to 60 visible characters"),
  v.description("Name for people; the id is made from it."),
  v.examples(["House server"]),
);
const model = v.pipe(v.string(), v.regex(/^\S{1,200}$/, "a model's name without blanks"), v.examples(["llama-4"]));

const keyState: v.GenericSchema<unknown, KeyState> = v.variant("state", [
  v.object({ state: v.literal("none") }),
  v.object({ state: v.literal("not-needed") }),
  v.object({ state: v.literal("other-address") }),
  v.object({
    state: v.literal("set"),
    from: v.picklist(["environment", "file", "app"]),
    ending: described(
      v.nullable(shown("abcd")),
      "The last characters of the key; null if it is too short to show any.",
    ),
  }),
]);

/** A provider as the settings show it. */
const providerState: v.GenericSchema<unknown, ProviderState> = v.object({
  id: shown("anthropic"),
  name: shown("Anthropic"),
  open: described(v.boolean(), "Whether its models can be used now."),
  address: shown("https://api.anthropic.com"),
  addressFrom: described(
    v.picklist(["heddle", "environment", "file", "app"]),
    "Who named the address: Heddle, a variable at the start, `models.json`, or a person in the app.",
  ),
  added: described(v.boolean(), "Whether a person added the provider in the app."),
  chosen: described(v.boolean(), "Whether a person chose which of its models are offered."),
  key: keyState,
  models: v.array(
    v.object({
      id: shown("anthropic/claude-sonnet-4-5"),
      name: shown("Claude Sonnet 4.5"),
      window: described(
        v.nullable(v.pipe(v.number(), v.examples([200_000]))),
        "Total window in tokens; null if unknown.",
      ),
      windowSet: described(v.boolean(), "Whether a person set the window in the app."),
    }),
  ),
});

export const providerCommands = {
  "provider.list": command({
    description:
      "Lists every provider with its models and the state of its key, and the paths of the data folder and the models file.",
    params: nothing,
    access: onWorkspace("workspace.list"),
    answer: v.object({
      providers: v.array(providerState),
      dataFolder: v.nullable(shown("/home/ada/.local/share/heddle")),
      modelsFile: described(
        v.nullable(
          v.object({
            path: shown("/home/ada/.config/heddle/models.json"),
            problem: v.nullable(shown("The file is not valid JSON.")),
          }),
        ),
        "The path of the models file, and its problem.",
      ),
      defaultModel: described(
        v.object({
          model: modelId,
          chosen: described(v.boolean(), "Whether a person chose it in the app."),
        }),
        "The model of new conversations.",
      ),
    }),
  }),
  "provider.test": command({
    description:
      "Asks a provider for its models, with its own or another key and address, before anything is stored; or any server that speaks a known format.",
    params: v.object({
      provider: v.exactOptional(provider),
      address: v.exactOptional(address),
      api: v.exactOptional(api),
      key: v.exactOptional(key),
    }),
    access: onWorkspace("workspace.try"),
    answer: v.object({ problem: askedProblem, models: v.array(askedModel) }),
    refusals: ["NOT_FOUND", "INVALID_PARAMS", "FORBIDDEN"],
  }),
  "provider.add": command({
    description: "Adds a server of one's own, by default one that speaks OpenAI's chat format.",
    params: v.object({ name, address, api: v.exactOptional(api), key: v.exactOptional(key) }),
    access: onWorkspace("workspace.set"),
    answer: v.object({ provider }),
    refusals: ["INVALID_PARAMS", "FORBIDDEN", "CONFLICT"],
  }),
  "provider.change": command({
    description: "Changes a provider's address, or which of its models are offered.",
    params: v.object({
      provider,
      address: v.exactOptional(described(v.nullable(address), "null: the address that Heddle knows.")),
      models: v.exactOptional(
        described(
          v.nullable(v.pipe(v.array(model), v.maxLength(200))),
          "The provider's names of the models to offer, in this order; null: all that are known.",
        ),
      ),
    }),
    access: onWorkspace("workspace.set"),
    answer: nothing,
    refusals: ["NOT_FOUND", "FORBIDDEN", "CONFLICT"],
  }),
  "provider.remove": command({
    description: "Removes a provider that was added in the app, and its key.",
    params: v.object({ provider }),
    access: onWorkspace("workspace.set"),
    answer: nothing,
    refusals: ["NOT_FOUND", "FORBIDDEN", "CONFLICT"],
  }),
  "provider.set-key": command({
    description: "Stores a provider's key.",
    params: v.object({ provider, key }),
    access: onWorkspace("workspace.set"),
    answer: nothing,
    refusals: ["NOT_FOUND", "FORBIDDEN", "CONFLICT"],
  }),
  "provider.remove-key": command({
    description: "Deletes the stored key of a provider.",
    params: v.object({ provider }),
    access: onWorkspace("workspace.set"),
    answer: nothing,
    refusals: ["NOT_FOUND", "FORBIDDEN", "CONFLICT"],
  }),
};
