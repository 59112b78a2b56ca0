import type { Answer, Question } from "../../../src/core/turn/state/question.ts";

/** A person's unfinished answer. */
export interface GivenAnswer {
  /** Labels of options. */
  readonly chosen: readonly string[];
  /** The person's own words, in addition to the choices. */
  readonly own: string;
  readonly note: string;
}

/** Nothing is chosen and nothing written yet. */
export const emptyAnswer: GivenAnswer = { chosen: [], own: "", note: "" };

/** Returns the answer after pressing an option: toggled when several are allowed, otherwise the only choice. */
export function withChoice(given: GivenAnswer, label: string, multiple: boolean): GivenAnswer {
  if (!multiple) return { ...given, chosen: [label] };
  const others = given.chosen.filter((other) => other !== label);
  return { ...given, chosen: others.length === given.chosen.length ? [...others, label] : others };
}

/** Returns the answer to send; null while nothing is chosen or written, and something must be. */
export function answerOf(
  { chosen, own, note }: GivenAnswer,
  { optional }: Pick<Question, "optional"> = {},
): Answer | null {
  const words = own.trim();
  const all = words === "" ? chosen : [...chosen, words];
  if (all.length === 0) return optional === true ? { chosen: [] } : null;
  return note.trim() === "" ? { chosen: all } : { chosen: all, note: note.trim() };
}
