import { ok } from "../../core/base/result.ts";
import type { modelsCommands } from "../../core/protocol/command/models.ts";
import type { Performs } from "./call.ts";

export const performModels: Performs<keyof typeof modelsCommands> = {
  "models.list": async ({ workspace }) => {
    await workspace.catalogue.refresh?.();
    return ok({
      models: workspace.catalogue
        .list()
        .map(({ id, name, contextTokensMax, tools, local, vision = null, prices = null }) => ({
          id,
          name,
          contextTokensMax,
          tools,
          local,
          vision,
          prices,
        })),
    });
  },
};
