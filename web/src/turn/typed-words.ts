import { useSyncExternalStore } from "react";
import type { RunId } from "../../../src/core/base/ids.ts";

/** Words that stand in the fields of one card of a run and are not sent. */
interface TypedWords {
  readonly runId: RunId;
  readonly fields: readonly string[];
}

let typedByCard: ReadonlyMap<string, TypedWords> = new Map();
const listeners = new Set<() => void>();

/** Keeps what is typed into a card, until nothing is: the card may go before it is sent, as where somebody else answers. */
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

/** What was typed into cards of a run that are gone: all but the open one. */
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
