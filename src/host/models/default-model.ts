import type { ModelCatalogue } from "../../core/port/language-model.ts";
import type { ModelSettings } from "./types.ts";

/** Returns the model of new conversations: what a person chose, else what the server was started with, else the first listed. */
export function defaultModelOf(given: {
  readonly modelSettings?: Partial<Pick<ModelSettings, "chosenDefault">>;
  /** `provider/model` of the start. */
  readonly model?: string;
  readonly catalogue: ModelCatalogue;
}): string {
  const chosen = given.modelSettings?.chosenDefault?.() ?? null;
  return chosen ?? given.model ?? given.catalogue.list()[0]?.id ?? "scripted/scribe";
}
