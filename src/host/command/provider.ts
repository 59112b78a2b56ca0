import { refusal } from "../../core/base/errors.ts";
import { err, ok } from "../../core/base/result.ts";
import type { providerCommands } from "../../core/protocol/command/provider.ts";
import { nothing, type Performs } from "./call.ts";

export const performProvider: Performs<keyof typeof providerCommands> = {
  "provider.list": async ({ workspace }) => {
    await workspace.catalogue.refresh?.();
    return ok({
      providers: workspace.modelSettings?.providers() ?? [],
      dataFolder: workspace.dataFolder,
      modelsFile: workspace.modelSettings?.modelsFile() ?? null,
    });
  },
  "provider.set-key": async ({ workspace }, { provider, key }) =>
    nothing((await workspace.modelSettings?.setKey(provider, key)) ?? noSettings),
  "provider.remove-key": async ({ workspace }, { provider }) =>
    nothing((await workspace.modelSettings?.removeKey(provider)) ?? noSettings),
};

const noSettings = err(refusal("FORBIDDEN", {}, "This server has no place to keep keys."));
