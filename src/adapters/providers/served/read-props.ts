import { isJsonObject } from "../../../core/base/json.ts";
import { objectAt } from "../shared/json-read.ts";
import { known, type ServedModel, syntaxOfTemplate, tokensIn } from "../shared/served-model.ts";

/** Reads the answer of llama.cpp's `GET /props`, null for anything else. The window is that of one slot: of one request. */
export function readProps(model: string, body: unknown): ServedModel | null {
  const settings = objectAt(body, "default_generation_settings");
  if (settings === undefined) return null;
  const modalities = objectAt(body, "modalities");
  const vision = isJsonObject(modalities) ? modalities["vision"] : undefined;
  return {
    model,
    ...known<Omit<ServedModel, "model">>({
      contextTokensMax: tokensIn(settings["n_ctx"]),
      proposedSyntax: syntaxOfTemplate(isJsonObject(body) ? body["chat_template"] : undefined),
      vision: typeof vision === "boolean" ? vision : undefined,
    }),
  };
}
