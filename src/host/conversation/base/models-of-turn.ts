import { isNonEmpty, type NonEmptyArray } from "../../../core/base/non-empty.ts";
import type { ForestRoot } from "../../../core/forest/types.ts";
import type { ModelCatalogue } from "../../../core/port/language-model.ts";
import type { Fallback } from "../../../core/turn/event/event.ts";
import type { TurnSettings } from "../../../core/turn/state/settings.ts";

/**
 * Returns the models of a turn, in order: the first one answers, each further one when those before it do not. They are the
 * conversation's model and its fallbacks; an alias counts as its models. A model that a message names has no fallbacks of the
 * conversation: that model was asked for.
 */
export function modelsOfTurn(
  models: ModelCatalogue,
  root: Pick<ForestRoot, "model" | "replies">,
  { model = root.model }: Pick<TurnSettings, "model">,
): NonEmptyArray<string> {
  const named = [model, ...(model === root.model ? (root.replies?.fallbacks ?? []) : [])];
  const all = [...new Set(named.flatMap((id) => models.membersOf?.(id) ?? [id]))];
  // A model whose provider has no key now is passed over, unless there is no other: the refusal then names it.
  const usable = all.filter((id) => models.find(id) !== undefined);
  return isNonEmpty(usable) ? usable : [model];
}

/** Returns the model that is asked after `from` in a turn; null for none. */
export function fallbackOf(models: ModelCatalogue, fallbacks: readonly string[], from: string): Fallback | null {
  const to = fallbacks.slice(fallbacks.indexOf(from) + 1).find((id) => models.find(id) !== undefined);
  return to === undefined ? null : { from, to };
}
