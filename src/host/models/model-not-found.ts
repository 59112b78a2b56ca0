import { refusal, type Refusal } from "../../core/base/errors.ts";
import type { ModelCatalogue } from "../../core/port/language-model.ts";

/** How many models a refusal lists. */
const listedMax = 50;

/** Why there is no such model, with those there are. */
export function modelNotFound(models: ModelCatalogue, model: string): Refusal {
  const known = models
    .list()
    .slice(0, listedMax)
    .map(({ id }) => id);
  return refusal("MODEL_NOT_FOUND", { model, models: known }, models.whyNot?.(model));
}
