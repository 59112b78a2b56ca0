import type { Answer } from "../../../src/core/turn/question.ts";

/** An answer as far as a person has given it. */
export interface GivenAnswer {
  /** Labels of options. */
  readonly chosen: readonly string[];
  /** Words of the person's own; they count beside what is chosen. */
  readonly own: string;
  readonly note: string;
}

/** Nothing is chosen and nothing written yet. */
export const emptyAnswer: GivenAnswer = { chosen: [], own: "", note: "" };

/** With one option pressed: of several it goes in or out, else it is the one. */
export function withChoice(given: GivenAnswer, label: string, multiple: boolean): GivenAnswer {
  if (!multiple) return { ...given, chosen: [label] };
  const others = given.chosen.filter((other) => other !== label);
  return { ...given, chosen: others.length === given.chosen.length ? [...others, label] : others };
}

/** What is sent; null while nothing is chosen or said. */
export function answerOf({ chosen, own, note }: GivenAnswer): Answer | null {
  const words = own.trim();
  const all = words === "" ? chosen : [...chosen, words];
  if (all.length === 0) return null;
  return note.trim() === "" ? { chosen: all } : { chosen: all, note: note.trim() };
}
