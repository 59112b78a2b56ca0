import type { Message } from "../../../../src/core/message/types.ts";

/** What a message says in words, without thinking, tool calls or pictures. */
export function wordsOf(message: Message): string {
  const parts: string[] = [];
  for (const block of message.content) {
    if (block.type === "text" || block.type === "refusal") parts.push(block.text);
  }
  return parts.join("\n\n").trim();
}

/** The beginning on one line, cut between words where it can be. `max` counts UTF-16 units. */
export function excerpt(text: string, max: number): string {
  const line = text.replace(/\s+/gu, " ").trim();
  if (line.length <= max) return line;
  const cut = line.slice(0, max);
  const space = cut.lastIndexOf(" ");
  const whole = space > max / 2 ? cut.slice(0, space) : cut.replace(/[\uD800-\uDBFF]$/u, "");
  return `${whole.replace(/[,;:.–—-]+$/u, "")}…`;
}

/** A text without the marks that only a reader of Markdown would want to see. */
export function withoutMarks(text: string): string {
  return text.replace(/\*\*|`|^#{1,6}\s+/gmu, "");
}

/** The first sentence, for a reader who listens. */
export function firstSentence(text: string): string {
  const line = text
    .replace(/[#*_`>]+/gu, "")
    .replace(/\s+/gu, " ")
    .trim();
  const end = /[.!?…](?=\s|$)/u.exec(line);
  return excerpt(end === null ? line : line.slice(0, end.index + 1), 200);
}

/** A name without what explains it: "Scribe (built-in author)" is the Scribe where there is little room. */
export function shortName(name: string): string {
  return name.replace(/\s+\([^()]*\)$/u, "");
}
