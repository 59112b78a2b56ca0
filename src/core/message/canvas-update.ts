import { lineCount, splitLines } from "../base/lines.ts";
import type { BlockId } from "../base/ids.ts";
import { beginningOf } from "../base/shortened.ts";
import { diffLines } from "../block/change/line-diff.ts";
import { unifiedDiff } from "../block/patch/unified-diff.ts";
import { fenceFor } from "./fence.ts";
import type { Message, UserMessage } from "./types.ts";

/** A canvas at a revision. `text` is null when the text of that revision can no longer be read. */
export interface CanvasAt {
  readonly revisionId: string;
  readonly text: string | null;
}

/** A change of a canvas that a model is informed of. */
export interface CanvasDifference {
  readonly canvasId: BlockId;
  readonly title: string;
  /** The revision the model knew; null when it did not know this canvas. */
  readonly from: CanvasAt | null;
  readonly to: { readonly revisionId: string; readonly text: string };
  /** Names of those who changed it, without the reader. */
  readonly changedBy: readonly string[];
  /** The reader's name as people see it, when the reader changed the canvas too; else null. */
  readonly own: string | null;
  /** Whether the conversation has just switched to this canvas. */
  readonly switched: boolean;
}

/** The longest diff sent to a model, in UTF-16 units: about 4,000 tokens, whatever a provider counts. */
export const updateDiffUnitsMax = 16_000;
const placesMax = 12;
const namesMax = 8;
/** The longest title or name, in UTF-16 units. */
const titleUnitsMax = 80;

/** The opening of every canvas update. */
const canvasUpdateOpening = "Canvas update (do not display to user).";

/**
 * Returns the message that informs a model of a change: the diff in a fence that no content can close, or the changed
 * places
 * when the diff is too long. Returns null when nothing changed. Equal news give equal messages.
 */
export function canvasUpdateMessage(news: CanvasDifference): UserMessage | null {
  const { canvasId, from, to, own, changedBy } = news;
  const same = from !== null && from.text === to.text;
  if (same && !news.switched) return null;
  const switchedTo = news.switched ? ` The canvas of this conversation is now ${nameOf(news)}.` : "";
  const said = same ? null : from === null ? introduced(to) : changed(from, to);
  const authors = same || from === null ? "" : ` ${authorsOf(own, changedBy)}`;
  const text = `${canvasUpdateOpening}${switchedTo}${authors}${said === null ? "" : ` ${said}`}`;
  return {
    role: "user",
    content: [{ type: "text", text }],
    update: {
      canvasId,
      from: from?.revisionId ?? null,
      to: to.revisionId,
      changedBy: [...(own === null ? [] : [own]), ...changedBy].slice(0, namesMax),
    },
  };
}

/** Whether a message is a canvas update: sent to models, not shown to people as a message. */
export function isCanvasUpdate(message: Message): boolean {
  return message.role === "user" && message.update !== undefined;
}

/** Whether Heddle wrote the message in a person's role: sent to models, shown to people as a thin line. */
export function isWrittenByHeddle(message: Message): boolean {
  return message.role === "user" && (message.update !== undefined || message.instruction !== undefined);
}

function nameOf({ title, canvasId }: CanvasDifference): string {
  const oneLine = beginningOf(title.replaceAll(/\s+/gu, " ").trim(), titleUnitsMax);
  return oneLine === "" ? canvasId : `${JSON.stringify(oneLine)} (canvas_id ${canvasId})`;
}

function introduced({ revisionId, text }: CanvasDifference["to"]): string {
  const count = lineCount(text);
  const size = count === 0 ? "empty" : `${count} ${count === 1 ? "line" : "lines"}`;
  return `It is at revision ${revisionId}, ${size}. Check it out and read the lines that you need before you edit.`;
}

function changed(from: CanvasAt, to: CanvasDifference["to"]): string {
  if (from.text === null) {
    return `It changed from revision ${from.revisionId} to ${to.revisionId}, but the difference cannot be shown. ${readAgain}`;
  }
  // Changes of line endings alone differ in no line, so they are summarised like a diff that is too long.
  const hunks = unifiedDiff(from.text, to.text);
  const labels = `--- canvas, revision ${from.revisionId}\n+++ canvas, revision ${to.revisionId}\n`;
  if (hunks === "" || hunks.length > updateDiffUnitsMax) return summary(from.revisionId, from.text, to);
  const diff = labels + hunks;
  const fence = fenceFor(diff);
  return `Apply this diff to your internal canvas state:\n${fence}diff\n${diff}${fence}`;
}

const readAgain = "Read the lines that you need again before you reason about them or edit them.";

function summary(fromId: string, before: string, to: CanvasDifference["to"]): string {
  const moved = `revision ${fromId} to ${to.revisionId}`;
  const runs = diffLines(linesOf(before), linesOf(to.text));
  if (runs.length === 0) return `It changed from ${moved} in its line endings alone.`;
  const sum = { added: 0, removed: 0 };
  for (const { oldStart, oldEnd, newStart, newEnd } of runs) {
    sum.added += newEnd - newStart;
    sum.removed += oldEnd - oldStart;
  }
  const places = runs.slice(0, placesMax).map(({ newStart, newEnd }) => {
    return newEnd - newStart < 2 ? `${newStart + 1}` : `${newStart + 1}-${newEnd}`;
  });
  const rest = runs.length > placesMax ? ` and ${runs.length - placesMax} more places` : "";
  return (
    `It changed too much to show here, from ${moved}: ` +
    `+${sum.added} −${sum.removed} lines, now at lines ${places.join(", ")}${rest}. ${readAgain}`
  );
}

function linesOf(text: string): readonly string[] {
  return splitLines(text).map((line) => line.text);
}

function authorsOf(own: string | null, others: readonly string[]): string {
  const names = others.slice(0, namesMax).map((name) => beginningOf(name.replaceAll(/\s+/gu, " "), titleUnitsMax));
  const more = others.length > namesMax ? ["others"] : [];
  const all = [...(own === null ? [] : ["you"]), ...names, ...more];
  const last = all.at(-1) ?? "others";
  return `Changed by ${all.length < 2 ? last : `${all.slice(0, -1).join(", ")} and ${last}`}.`;
}
