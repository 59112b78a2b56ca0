import { refusal, type Refusal } from "../../core/base/errors.ts";
import type { ModelCatalogue } from "../../core/port/language-model.ts";

/** How many models a refusal lists. */
const listedMax = 50;

/** Returns the refusal of an unknown model, with the models that exist. */
export function modelNotFound(models: ModelCatalogue, model: string): Refusal {
  const known = models
    .list()
    .slice(0, listedMax)
    .map(({ id }) => id);
  return refusal("MODEL_NOT_FOUND", { model, models: known }, models.whyNot?.(model));
}
