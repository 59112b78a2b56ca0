import * as v from "valibot";
import { onWorkspace } from "../base/access.ts";
import { command } from "../base/command-row.ts";
import { shown, described, nothing } from "../base/parts.ts";
import type { KeyState, ProviderState } from "../base/provider-state.ts";

const provider = v.pipe(
  v.string(),
  v.regex(/^[a-z0-9][a-z0-9._-]{0,63}$/),
  v.description("Id of the provider."),
  v.examples(["anthropic"]),
);
/** Visible characters, as keys are sent in headers. */
const key = v.pipe(
  v.string(),
  v.trim(),
  v.regex(/^[\x21-\x7e]{8,512}$/, "8 to 512 visible ASCII characters"),
  v.description("The key, 8 to 512 visible ASCII characters. No answer ever carries it."),
  v.examples(["sk-example-key"]),
);

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
    }),
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
