import { refusal } from "../../core/base/errors.ts";
import { err, ok } from "../../core/base/result.ts";
import type { modelsCommands } from "../../core/protocol/command/models.ts";
import { nothing, type Performs } from "./base/call.ts";

const noSettings = err(refusal("FORBIDDEN", {}, "This server keeps no settings of models."));

export const performModels: Performs<keyof typeof modelsCommands> = {
  "models.set-window": async ({ workspace }, { model, contextTokens }) =>
    nothing((await workspace.modelSettings?.setWindow(model, contextTokens)) ?? noSettings),
  "models.set-default": async ({ workspace }, { model }) =>
    nothing((await workspace.modelSettings?.setDefault(model)) ?? noSettings),
  "models.syntaxes": async ({ workspace: { ownSyntaxes } }) =>
    ok({
      syntaxes: ownSyntaxes.syntaxes.map(({ id, title, tier }) => ({ id, title, tier })),
      files: [...ownSyntaxes.files],
    }),
  "models.ask": async ({ workspace: { modelSettings } }) => {
    const asked = (await modelSettings?.ask()) ?? [];
    return ok({ providers: asked.map((each) => ({ ...each, models: [...each.models] })) });
  },
  "models.list": async ({ workspace }, { model }) => {
    await workspace.catalogue.refresh?.(model);
    return ok({
      models: workspace.catalogue
        .list()
        .map(({ id, name, contextTokensMax, tools, local, vision = null, prices = null, proposedSyntax = null }) => ({
          id,
          name,
          contextTokensMax,
          tools,
          proposedSyntax,
          local,
          vision,
          prices,
        })),
    });
  },
};
