import { refusal, type Refusal } from "../../../core/base/errors.ts";
import { err, ok, type Result } from "../../../core/base/result.ts";
import type { ModelCatalogue } from "../../../core/port/language-model.ts";
import type { ReplyOptions } from "../../../core/protocol/commands.ts";
import { completionsMax, type TurnSettings } from "../../../core/turn/state/settings.ts";
import { modelNotFound } from "../../models/model-not-found.ts";
import type { StoredPresets } from "./presets.ts";

/** Resolves how a reply is requested. */
export type ResolveSettings = (wish: ReplyOptions) => Promise<Result<TurnSettings, Refusal>>;

/**
 * Resolves how a reply is requested: the request's settings come first, then the active preset's, then the conversation's.
 */
export async function resolveSettings(
  models: ModelCatalogue,
  presets: StoredPresets,
  { n, model, maxTokens, temperature, outputSchema, inDraft }: ReplyOptions,
): Promise<Result<TurnSettings, Refusal>> {
  if (model !== undefined && models.find(model) === undefined) return err(modelNotFound(models, model));
  if (n !== undefined && !(Number.isInteger(n) && n >= 1 && n <= completionsMax)) {
    return err(refusal("INVALID_PARAMS", { path: "n", expected: `a whole number from 1 to ${completionsMax}` }));
  }
  const wish: TurnSettings = {
    ...(n !== undefined && { completions: n }),
    ...(model !== undefined && { model }),
    ...(maxTokens !== undefined && { maxTokens }),
    ...(temperature !== undefined && { temperature }),
    ...(outputSchema !== undefined && { outputSchema }),
    ...(inDraft !== undefined && { inDraft }),
  };
  return ok(await presets.resolve(wish));
}
