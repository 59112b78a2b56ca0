import { lineCount, splitLines } from "../base/lines.ts";
import type { BlockId } from "../base/ids.ts";
import { beginningOf } from "../base/shortened.ts";
import { diffLines } from "../block/change/line-diff.ts";
import { unifiedDiff } from "../block/patch/unified-diff.ts";
import { fenceFor } from "./fence.ts";
import type { Message, UserMessage } from "./types.ts";

/** A canvas at a revision. `text` null: what stood there cannot be read any more. */
export interface CanvasAt {
  readonly revisionId: string;
  readonly text: string | null;
}

/** A change of a canvas that a model is to know of. */
export interface CanvasNews {
  readonly canvasId: BlockId;
  readonly title: string;
  /** What the model knew; null where it knew nothing of this canvas. */
  readonly from: CanvasAt | null;
  readonly to: { readonly revisionId: string; readonly text: string };
  /** Names of who changed it, the reader itself left out. */
  readonly changedBy: readonly string[];
  /** Whether the reader changed it too; the name that people read. */
  readonly own: string | null;
  /** Whether the conversation has only now turned to this canvas. */
  readonly switched: boolean;
}

/** What a model is told of it, whatever a provider counts: about 4,000 tokens. In UTF-16 units. */
export const updateDiffUnitsMax = 16_000;
const placesMax = 12;
const namesMax = 8;
/** Of titles and names. */
const titleUnitsMax = 80;

/** What every one of these messages begins with. */
const canvasUpdateOpening = "Canvas update (do not display to user).";

/**
 * The message that tells a model of a change: the diff in a fence that nothing inside can close, or, where that would be
 * too long, where the changes are. Null where there is nothing to tell. The same news give the same message.
 */
export function canvasUpdateMessage(news: CanvasNews): UserMessage | null {
  const { canvasId, from, to, own, changedBy } = news;
  const same = from !== null && from.text === to.text;
  if (same && !news.switched) return null;
  const turned = news.switched ? ` The canvas of this conversation is now ${nameOf(news)}.` : "";
  const said = same ? null : from === null ? introduced(to) : changed(from, to);
  const authors = same || from === null ? "" : ` ${authorsOf(own, changedBy)}`;
  const text = `${canvasUpdateOpening}${turned}${authors}${said === null ? "" : ` ${said}`}`;
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

/** Whether a message tells of a canvas: sent to models, and no message to people. */
export function isCanvasUpdate(message: Message): boolean {
  return message.role === "user" && message.update !== undefined;
}

/** Whether Heddle itself says a message, in a person's role: sent to models, told to people as a thin line. */
export function isHeddlesWord(message: Message): boolean {
  return message.role === "user" && (message.update !== undefined || message.instruction !== undefined);
}

function nameOf({ title, canvasId }: CanvasNews): string {
  const oneLine = beginningOf(title.replaceAll(/\s+/gu, " ").trim(), titleUnitsMax);
  return oneLine === "" ? canvasId : `${JSON.stringify(oneLine)} (canvas_id ${canvasId})`;
}

function introduced({ revisionId, text }: CanvasNews["to"]): string {
  const count = lineCount(text);
  const size = count === 0 ? "empty" : `${count} ${count === 1 ? "line" : "lines"}`;
  return `It is at revision ${revisionId}, ${size}. Check it out and read what you need before you edit.`;
}

function changed(from: CanvasAt, to: CanvasNews["to"]): string {
  if (from.text === null) {
    return `It changed from revision ${from.revisionId} to ${to.revisionId}, in a way that cannot be shown. ${readAgain}`;
  }
  // Line ends alone make no line differ, and are told like what is too much to show.
  const hunks = unifiedDiff(from.text, to.text);
  const labels = `--- canvas, revision ${from.revisionId}\n+++ canvas, revision ${to.revisionId}\n`;
  if (hunks === "" || hunks.length > updateDiffUnitsMax) return summary(from.revisionId, from.text, to);
  const diff = labels + hunks;
  const fence = fenceFor(diff);
  return `Apply this diff to your internal canvas state:\n${fence}diff\n${diff}${fence}`;
}

const readAgain = "Read the lines that you need again before you reason about them or edit them.";

function summary(fromId: string, before: string, to: CanvasNews["to"]): string {
  const moved = `revision ${fromId} to ${to.revisionId}`;
  const runs = diffLines(linesOf(before), linesOf(to.text));
  if (runs.length === 0) return `It changed from ${moved} in its line ends alone.`;
  const sum = { added: 0, removed: 0 };
  for (const { oldStart, oldEnd, newStart, newEnd } of runs) {
    sum.added += newEnd - newStart;
    sum.removed += oldEnd - oldStart;
  }
  const places = runs.slice(0, placesMax).map(({ newStart, newEnd }) => {
    return newEnd - newStart < 2 ? `${newStart + 1}` : `${newStart + 1}-${newEnd}`;
  });
  const rest = runs.length > placesMax ? ` and ${runs.length - placesMax} places more` : "";
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
