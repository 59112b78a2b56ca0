import type { Refusal } from "../../../core/base/errors.ts";
import type { ReplySettings } from "../../../core/forest/run-rules.ts";
import type { ModelCatalogue } from "../../../core/port/language-model.ts";
import { modelNotFound } from "../../models/model-not-found.ts";
import type { SettingsChange } from "./types.ts";

/** Returns the settings after a change; undefined when none is left. An empty list is no setting. */
export function replySettings(
  before: ReplySettings,
  {
    thinking = before.thinking,
    toolsOff = before.toolsOff,
    fallbacks = before.fallbacks,
    serverTools = before.serverTools,
  }: SettingsChange,
): ReplySettings | undefined {
  const after: ReplySettings = {
    ...(thinking === undefined || thinking === null ? {} : { thinking }),
    ...(toolsOff === undefined || toolsOff === null || toolsOff.length === 0 ? {} : { toolsOff }),
    ...(fallbacks === undefined || fallbacks === null || fallbacks.length === 0 ? {} : { fallbacks }),
    ...(serverTools === undefined || serverTools === null || serverTools.length === 0 ? {} : { serverTools }),
  };
  return Object.keys(after).length === 0 ? undefined : after;
}

/** Returns the refusal of the first model that does not exist here; null where all do. */
export function unknownModel(models: ModelCatalogue, ids: readonly string[]): Refusal | null {
  const unknown = ids.find((id) => models.find(id) === undefined);
  return unknown === undefined ? null : modelNotFound(models, unknown);
}
