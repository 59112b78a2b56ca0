import type { ModelRequest } from "../../../core/model/request.ts";
import type { AskedSettings, TurnAskers } from "../../../core/port/store.ts";
import type { TurnSettings } from "../../../core/turn/state/settings.ts";

/** Returns what a run stores of its turn's settings, so that it asks the model the same way after a restart. */
export function askedSettings({
  maxTokens,
  temperature,
  fallbacks,
  outputSchema,
  draft,
  payer,
  joined,
  tokens,
}: TurnSettings & TurnAskers): AskedSettings | undefined {
  const asked = {
    ...(maxTokens !== undefined && { maxTokens }),
    ...(temperature !== undefined && { temperature }),
    ...(outputSchema !== undefined && { outputSchema }),
    ...(fallbacks !== undefined && fallbacks.length > 0 && { fallbacks }),
    ...(draft !== undefined && { draft }),
    ...(payer !== undefined && { payer }),
    ...(joined !== undefined && { joined }),
    ...(tokens !== undefined && { tokens }),
  };
  return Object.keys(asked).length === 0 ? undefined : asked;
}

/** Applies the settings to a request whose limit is already fitted to the model's window. */
export function withSettings(request: ModelRequest, { temperature, outputSchema }: AskedSettings = {}): ModelRequest {
  return {
    ...request,
    ...(temperature === undefined ? {} : { temperature }),
    ...(outputSchema === undefined ? {} : { outputSchema }),
  };
}
