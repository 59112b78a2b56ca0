import { lineCount, splitLines } from "../base/lines.ts";
import type { BlockId } from "../base/ids.ts";
import { beginningOf } from "../base/shortened.ts";
import { diffLines, type LineRun } from "../block/change/line-diff.ts";
import { markdownOutline } from "../block/markdown/outline.ts";
import { unifiedDiff } from "../block/patch/unified-diff.ts";
import { fenceFor } from "./fence.ts";
import { estimateInputTokens } from "./tokens.ts";
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

/** The longest diff sent to a model, in estimated tokens; a longer one is summed up by section. */
export const updateDiffTokensMax = 4_000;
const sectionsMax = 20;
const placesMax = 4;
const namesMax = 8;
/** The longest title or name, in UTF-16 units. */
const titleUnitsMax = 80;

/** The opening of every canvas update. */
const canvasUpdateOpening = "Canvas update (do not display to user).";

/**
 * Returns the message that informs a model of a change: the diff in a fence that no content can close, or what changed by
 * section when the diff is too long. Returns null when nothing changed. Equal news give equal messages.
 */
export function canvasUpdateMessage(news: CanvasDifference): UserMessage | null {
  const { canvasId, from, to, own, changedBy } = news;
  const same = from !== null && from.text === to.text;
  if (same && !news.switched) return null;
  // The founding design's words come first and together: the opening, the instruction, the diff.
  const said = same ? null : from === null ? introduced(to) : changed(from, to);
  const switchedTo = news.switched ? ` The canvas of this conversation is now ${nameOf(news)}.` : "";
  const authors = same || from === null ? "" : authorsOf(own, changedBy);
  const isDiff = said?.endsWith("`") ?? false;
  const text = `${canvasUpdateOpening}${switchedTo}${said === null ? "" : ` ${said}`}`;
  const whole = authors === "" ? text : `${text}${isDiff ? "\n" : " "}${authors}`;
  return {
    role: "user",
    content: [{ type: "text", text: whole }],
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
  if (hunks === "" || tokensOf(hunks) > updateDiffTokensMax) return summary(from.revisionId, from.text, to);
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
  const sections = changedSections(runs, to.text);
  const shown = sections.slice(0, sectionsMax).map(sectionLine);
  const rest = sections.length > sectionsMax ? [`- and ${sections.length - sectionsMax} more sections`] : [];
  return (
    `It changed too much to show here, from ${moved}: +${sum.added} −${sum.removed} lines, by section of its present text:\n` +
    `${[...shown, ...rest].join("\n")}\n${readAgain}`
  );
}

/** What changed in one section of the new text. Lines count from 0, ends are exclusive. */
interface ChangedSection {
  readonly name: string;
  added: number;
  removed: number;
  readonly places: string[];
}

/** Attributes each run of changed lines to the innermost section that it begins in. */
function changedSections(runs: readonly LineRun[], text: string): readonly ChangedSection[] {
  const { sections } = markdownOutline(text);
  const byName = new Map<string, ChangedSection>();
  let at = -1;
  for (const { oldStart, oldEnd, newStart, newEnd } of runs) {
    while (at + 1 < sections.length && (sections[at + 1]?.fromLine ?? 0) <= newStart) at += 1;
    const section = sections[at];
    const title = section === undefined ? "before the first heading" : beginningOf(section.title, titleUnitsMax);
    const name = section === undefined ? title : `${section.address} ${title}`;
    const known = byName.get(name) ?? { name, added: 0, removed: 0, places: [] };
    known.added += newEnd - newStart;
    known.removed += oldEnd - oldStart;
    known.places.push(newEnd - newStart < 2 ? `${newStart + 1}` : `${newStart + 1}-${newEnd}`);
    byName.set(name, known);
  }
  return [...byName.values()];
}

function sectionLine({ name, added, removed, places }: ChangedSection): string {
  const rest = places.length > placesMax ? ` and ${places.length - placesMax} more places` : "";
  return `- ${name}: +${added} −${removed}, now at lines ${places.slice(0, placesMax).join(", ")}${rest}`;
}

function tokensOf(text: string): number {
  return estimateInputTokens([{ role: "user", content: [{ type: "text", text }] }]);
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
