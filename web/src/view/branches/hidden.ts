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

export function canvasLine(update: CanvasUpdate, message: ForestNode["message"]): CanvasLine {
  const words = wordsOf(message);
  const diff = /\n(`{3,})diff\n([\s\S]*?)\n\1(?:\n|$)/u.exec(words)?.[2] ?? null;
  const { added, removed } = countOf(diff ?? "");
  const to = `r${versionOf(update.to)}`;
  const moved = update.from === null || update.from === update.to ? to : `r${versionOf(update.from)} → ${to}`;
  const by = update.changedBy.length === 0 ? "" : ` · ${update.changedBy.join(", ")}`;
  return { title: `Canvas ${moved}${by}`, added, removed, diff };
}

function versionOf(revisionId: string): string {
  return revisionId.split("-", 1)[0] ?? revisionId;
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
