import { useSyncExternalStore } from "react";
import type { RunId } from "../../../src/core/base/ids.ts";

/** Unsent words in the fields of one card of a run. */
interface TypedWords {
  readonly runId: RunId;
  readonly fields: readonly string[];
}

let typedByCard: ReadonlyMap<string, TypedWords> = new Map();
const listeners = new Set<() => void>();

/**
 * Stores words typed into a card until they are empty; the card may close before they are sent, as when someone else
 * answers.
 */
export function keepTyped(card: string, { runId, fields }: TypedWords): void {
  const next = new Map(typedByCard);
  if (fields.every((field) => field.trim() === "")) next.delete(card);
  else next.set(card, { runId, fields });
  typedByCard = next;
  for (const listener of listeners) listener();
}

export function typedIn(card: string): readonly string[] {
  return typedByCard.get(card)?.fields ?? [];
}

/** Returns the words typed into closed cards of a run: all but the open one. */
export function leftWords(runId: RunId, openCard: string | null): readonly LeftWords[] {
  return [...typedByCard]
    .filter(([card, typed]) => typed.runId === runId && card !== openCard)
    .map(([card, { fields }]) => ({ card, text: fields.filter((field) => field.trim() !== "").join("\n\n") }));
}

export interface LeftWords {
  readonly card: string;
  readonly text: string;
}

export function useLeftWords(runId: RunId, openCard: string | null): readonly LeftWords[] {
  useSyncExternalStore(subscribe, () => typedByCard);
  return leftWords(runId, openCard);
}

function subscribe(listener: () => void): () => void {
  listeners.add(listener);
  return () => {
    listeners.delete(listener);
  };
}
