import type { BlockId } from "../../../../src/core/base/ids.ts";
import type { ForestNode } from "../../../../src/core/forest/types.ts";
import type { CanvasUpdate, Instruction } from "../../../../src/core/message/types.ts";
import { wordsOf } from "../words/words.ts";

/** Returns whether a node is a message of Heddle to the model, which people see as a thin line. */
export function isHidden({ message, actor }: Pick<ForestNode, "message" | "actor">): boolean {
  if (message.role === "system") return true;
  return (
    message.role === "user" &&
    (message.update !== undefined || message.instruction !== undefined || actor.type === "system")
  );
}

/** Returns the last message of a path that is not hidden. */
export function lastSaid(path: readonly ForestNode[]): ForestNode | undefined {
  return path.findLast((node) => !isHidden(node));
}

const instructionTitles: Record<Instruction, string> = {
  "last-words": "Told the model that it has no tool calls left",
  submission: "Asked the agent to submit its result",
  summary: "Asked the model to summarize",
  continuation: "Continues a branch whose context was full · summary",
  "go-on": "Asked the model to go on from its reply",
  edit: "Told the model that its reply was edited",
  compaction: "Summary that the model reads instead of the messages above",
};

/** Returns the words of a thin line for an instruction; null for other messages. */
export function instructionLine({ message }: Pick<ForestNode, "message">): string | null {
  return message.role === "user" && message.instruction !== undefined ? instructionTitles[message.instruction] : null;
}

/** The words of a thin line for a canvas update, and its diff; null without a diff. */
export interface CanvasLine {
  readonly title: string;
  readonly added: number;
  readonly removed: number;
  readonly diff: string | null;
}

/** How canvases are called now. */
export type CanvasTitles = Pick<ReadonlyMap<BlockId, string>, "get">;

export function canvasLine(update: CanvasUpdate, message: ForestNode["message"], titles: CanvasTitles): CanvasLine {
  const words = wordsOf(message);
  const diff = /\n(`{3,})diff\n([\s\S]*?)\n\1(?:\n|$)/u.exec(words)?.[2] ?? null;
  const { added, removed } = countOf(diff ?? "");
  const name = nameOf(update, message, titles);
  const by = update.changedBy.length === 0 ? "" : ` · ${update.changedBy.join(", ")}`;
  return { title: `${name}${by}`, added, removed, diff };
}

/** Returns the canvases that messages tell the model about. */
export function canvasesIn(nodes: readonly Pick<ForestNode, "message">[]): readonly BlockId[] {
  return nodes.flatMap(({ message }) => (message.role === "user" ? (message.update?.canvasId ?? []) : []));
}

/** The words of several changes that follow each other: the canvases' names and who changed them. */
export interface ChangeSum {
  readonly title: string;
  readonly added: number;
  readonly removed: number;
}

export function sumOfChanges(nodes: readonly Pick<ForestNode, "message">[], titles: CanvasTitles): ChangeSum {
  const names = new Set<string>();
  const authors = new Set<string>();
  let [added, removed] = [0, 0];
  for (const { message } of nodes) {
    if (message.role !== "user" || message.update === undefined) continue;
    const line = canvasLine(message.update, message, titles);
    names.add(nameOf(message.update, message, titles));
    for (const name of message.update.changedBy) authors.add(name);
    added += line.added;
    removed += line.removed;
  }
  const by = authors.size === 0 ? "" : ` · ${[...authors].join(", ")}`;
  return { title: `${[...names].join(", ")}${by} · ${nodes.length} changes`, added, removed };
}

/** Returns what the canvas of an update is called: now, or, where it is gone, as the message called it. */
function nameOf({ canvasId }: CanvasUpdate, message: ForestNode["message"], titles: CanvasTitles): string {
  return titles.get(canvasId) ?? canvasNameIn(wordsOf(message)) ?? "A document";
}

/** The canvas's name as the message gives it to the model: in quotes before its id. */
function canvasNameIn(words: string): string | null {
  const quoted = /("(?:[^"\\]|\\.)*") \(canvas_id /u.exec(words)?.[1];
  try {
    return quoted === undefined ? null : String(JSON.parse(quoted));
  } catch {
    return null;
  }
}

/** Counts the added and removed lines of a diff; file names before the first hunk do not count. */
export function countOf(diff: string): { readonly added: number; readonly removed: number } {
  const lines = diff.split("\n");
  const from = lines.findIndex((line) => line.startsWith("@@"));
  const body = from === -1 ? [] : lines.slice(from);
  return {
    added: body.filter((line) => line.startsWith("+")).length,
    removed: body.filter((line) => line.startsWith("-")).length,
  };
}
