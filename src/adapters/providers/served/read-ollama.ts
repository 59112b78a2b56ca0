import { isJsonObject } from "../../../core/base/json.ts";
import { listAt, objectAt, textAt } from "../shared/json-read.ts";
import { known, type ServedModel, syntaxOfTemplate, tokensIn } from "../shared/served-model.ts";

/**
 * Reads the answer of `POST /api/show`, null for anything else. `num_ctx` of its parameters is the window that the model is
 * loaded with; without it, the model's own limit is the best guess until `/api/ps` has the loaded model.
 */
export function readShownModel(model: string, body: unknown): ServedModel | null {
  if (!isJsonObject(body)) return null;
  const info = objectAt(body, "model_info");
  const own = Object.entries(info ?? {}).find(([key]) => key.endsWith(".context_length"));
  const set = /^\s*num_ctx\s+(\d{1,12})\s*$/m.exec(textAt(body, "parameters") ?? "");
  if (info === undefined && set === null) return null;
  const capabilities = listAt(body, "capabilities");
  const can = (what: string): boolean | undefined =>
    capabilities.length === 0 ? undefined : capabilities.includes(what);
  return {
    model,
    ...known<Omit<ServedModel, "model">>({
      contextTokensMax: tokensIn(set === null ? undefined : Number(set[1])) ?? tokensIn(own?.[1]),
      vision: can("vision"),
      tools: can("tools"),
      thinking: can("thinking"),
      proposedSyntax: syntaxOfTemplate(body["template"]),
    }),
  };
}

/** Reads from `GET /api/ps` the window with which a model is loaded; undefined while it is not, and for older servers. */
export function readLoadedWindow(model: string, body: unknown): number | undefined {
  const tagged = model.includes(":") ? model : `${model}:latest`;
  const loaded = listAt(body, "models").find((entry) =>
    [textAt(entry, "name"), textAt(entry, "model")].some((name) => name === model || name === tagged),
  );
  return tokensIn(isJsonObject(loaded) ? loaded["context_length"] : undefined);
}
