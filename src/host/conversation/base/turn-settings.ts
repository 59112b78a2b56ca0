import type { ModelRequest } from "../../../core/model/request.ts";
import type { AskedSettings } from "../../../core/port/store.ts";
import type { TurnSettings } from "../../../core/turn/settings.ts";

/** What a run keeps of how its turn asks the model, so that it asks the same way after a restart. */
export function askedSettings({ maxTokens, temperature }: TurnSettings): AskedSettings | undefined {
  if (maxTokens === undefined && temperature === undefined) return undefined;
  return { ...(maxTokens !== undefined && { maxTokens }), ...(temperature !== undefined && { temperature }) };
}

/** The request as the settings have it: their bound of the reply holds where it is the lower one. */
export function withSettings(request: ModelRequest, { maxTokens, temperature }: AskedSettings = {}): ModelRequest {
  return {
    ...request,
    maxTokens: Math.min(request.maxTokens, maxTokens ?? request.maxTokens),
    ...(temperature === undefined ? {} : { temperature }),
  };
}
