import * as v from "valibot";
import { onWorkspace } from "../base/access.ts";
import { command } from "../base/command-row.ts";
import { described, nothing, shown } from "../base/parts.ts";
import { providerId, providerKey } from "../shape/provider-key.ts";

export const ownKeyCommands = {
  "own-key.list": command({
    description: "Lists the providers that take a key of one's own, with the end of the key that the caller set.",
    params: nothing,
    access: onWorkspace("workspace.list-own-keys"),
    answer: v.object({
      providers: v.array(
        v.object({
          provider: shown("anthropic"),
          name: shown("Anthropic"),
          isSet: described(v.boolean(), "Whether the caller's turns use a key of their own."),
          ending: described(
            v.nullable(shown("abcd")),
            "The last characters of that key; null if there is none, or it is too short to show any.",
          ),
        }),
      ),
    }),
    refusals: ["FORBIDDEN"],
  }),
  "own-key.set": command({
    description:
      "Keeps a key of one's own for a provider: the turns that the caller begins use it, nobody else's do, and no answer ever carries it.",
    params: v.object({ provider: providerId, key: providerKey }),
    access: onWorkspace("workspace.own-keys"),
    answer: nothing,
    refusals: ["FORBIDDEN", "NOT_FOUND"],
  }),
  "own-key.remove": command({
    description: "Deletes the key of one's own for a provider; one's turns use the workspace's again.",
    params: v.object({ provider: providerId }),
    access: onWorkspace("workspace.own-keys"),
    answer: nothing,
    refusals: ["FORBIDDEN"],
  }),
};
