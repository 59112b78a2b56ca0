import { refusal } from "../../core/base/errors.ts";
import { err, ok } from "../../core/base/result.ts";
import type { providerCommands } from "../../core/protocol/command/provider.ts";
import { nothing, type Performs } from "./base/call.ts";

export const performProvider: Performs<keyof typeof providerCommands> = {
  "provider.list": async ({ workspace, may }) => {
    await workspace.catalogue.refresh?.();
    // Which keys there are concerns those who set them.
    if (!(await may(["workspace.set", { type: "workspace" }])))
      return ok({
        providers: [],
        dataFolder: null,
        modelsFile: null,
        defaultModel: { model: workspace.defaultModel(), chosen: false },
      });
    return ok({
      providers: workspace.modelSettings?.providers() ?? [],
      dataFolder: workspace.dataFolder,
      modelsFile: workspace.modelSettings?.modelsFile() ?? null,
      defaultModel: {
        model: workspace.defaultModel(),
        chosen: (workspace.modelSettings?.chosenDefault() ?? null) !== null,
      },
    });
  },
  "provider.test": async ({ workspace }, candidate) => {
    const tested = (await workspace.modelSettings?.test(candidate)) ?? noSettings;
    return tested.ok ? ok({ problem: tested.value.problem, models: [...tested.value.models] }) : tested;
  },
  "provider.add": async ({ workspace }, server) => {
    const added = (await workspace.modelSettings?.add(server)) ?? noSettings;
    return added.ok ? ok({ provider: added.value }) : added;
  },
  "provider.change": async ({ workspace }, { provider, ...change }) =>
    nothing((await workspace.modelSettings?.change(provider, change)) ?? noSettings),
  "provider.remove": async ({ workspace }, { provider }) =>
    nothing((await workspace.modelSettings?.remove(provider)) ?? noSettings),
  "provider.set-key": async ({ workspace }, { provider, key }) =>
    nothing((await workspace.modelSettings?.setKey(provider, key)) ?? noSettings),
  "provider.remove-key": async ({ workspace }, { provider }) =>
    nothing((await workspace.modelSettings?.removeKey(provider)) ?? noSettings),
};

const noSettings = err(refusal("FORBIDDEN", {}, "This server has no place to keep keys."));
