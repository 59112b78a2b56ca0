import type { CommandAnswer } from "../../../../src/core/protocol/commands.ts";
import type { TurnId } from "../../../../src/core/base/ids.ts";

export type AgentTurn = CommandAnswer<"block.turns">["turns"][number];

/** What the button beside "Undo mine" does now. */
export type TurnUndo =
  | { readonly type: "none" }
  | { readonly type: "undo" | "redo"; readonly turnId: TurnId; readonly actorName: string };

/** Returns the newest turn that is not undone; when all are undone, the newest one to redo. */
export function nextTurnUndo(turns: readonly AgentTurn[]): TurnUndo {
  const applied = turns.find((turn) => !turn.undone);
  if (applied !== undefined) return { type: "undo", turnId: applied.turnId, actorName: applied.actorName };
  const newest = turns[0];
  return newest === undefined ? { type: "none" } : { type: "redo", turnId: newest.turnId, actorName: newest.actorName };
}

/** Why there is no turn of an agent to undo, and where its kept suggestions are taken back. */
export const noTurnWords = "No agent edits to undo. “Undo mine” reverts the suggestions that you kept.";

export function turnUndoHint(undo: TurnUndo): string {
  switch (undo.type) {
    case "none":
      return noTurnWords;
    case "undo":
      return `Shows what ${undo.actorName} did in its last turn, to undo it. Your own edits and the suggestions that you kept stay.`;
    case "redo":
      return `Shows what ${undo.actorName} did, to redo it`;
  }
}

/** "15:04", "yesterday 9:30" or the date: when something was, in the reader's words. */
export function momentLabel(at: number, now: number, locale?: string): string {
  const { time, date } = formatsFor(locale);
  const days = Math.round((startOfDay(now) - startOfDay(at)) / 86_400_000);
  if (days === 0) return time.format(at);
  if (days === 1) return `yesterday ${time.format(at)}`;
  return date.format(at);
}

interface MomentFormats {
  readonly time: Intl.DateTimeFormat;
  readonly date: Intl.DateTimeFormat;
}

// Making a format costs more than a hundred uses of it.
const formatsByLocale = new Map<string | undefined, MomentFormats>();

function formatsFor(locale: string | undefined): MomentFormats {
  const known = formatsByLocale.get(locale);
  if (known !== undefined) return known;
  const clock = { hour: "2-digit", minute: "2-digit" } as const;
  const made = {
    time: new Intl.DateTimeFormat(locale, clock),
    date: new Intl.DateTimeFormat(locale, { day: "numeric", month: "short", ...clock }),
  };
  formatsByLocale.set(locale, made);
  return made;
}

function startOfDay(at: number): number {
  const date = new Date(at);
  return new Date(date.getFullYear(), date.getMonth(), date.getDate()).getTime();
}
