import { assert } from "../base/assert.ts";
import { isNonEmpty, type NonEmptyArray } from "../base/non-empty.ts";
import { joinedText, textBlocksOf } from "./text-content.ts";
import type { AssistantMessage, Message, TextBlock } from "./types.ts";

/**
 * Joins adjacent messages of one role (user or assistant) that hold only text. Their blocks stay separate; with a
 * `separator` they become one text, with the separator between messages. Messages with other blocks, and tool messages,
 * are never joined.
 */
export function coalesceTextOnlyAdjacent(messages: readonly Message[], separator?: string): readonly Message[] {
  const runs: Run[] = [];
  for (const message of messages) {
    const texts = message.role === "user" || message.role === "assistant" ? textBlocksOf(message) : null;
    const run = runs.at(-1);
    if (texts !== null && run !== undefined && run.texts.length > 0 && run.last.role === message.role) {
      run.last = message;
      run.texts.push(texts);
    } else runs.push({ last: message, texts: texts === null ? [] : [texts] });
  }
  return runs.map((run) => joined(run, separator));
}

/** Messages that become one, with the texts of each; `texts` is empty when the single message holds more than text. */
interface Run {
  last: Message;
  readonly texts: NonEmptyArray<TextBlock>[];
}

function joined({ last, texts }: Run, separator: string | undefined): Message {
  if (texts.length < 2) return last;
  const content: readonly TextBlock[] =
    separator === undefined ? texts.flat() : [{ type: "text", text: texts.map(joinedText).join(separator) }];
  assert(isNonEmpty(content), "each of the messages has a text");
  return last.role === "assistant" ? { role: "assistant", content, ...endingOf(last) } : { role: "user", content };
}

/** The joined message is interrupted, and has the origin, as its last part. */
function endingOf({ interrupted, origin }: AssistantMessage): Pick<AssistantMessage, "interrupted" | "origin"> {
  return {
    ...(interrupted === undefined ? {} : { interrupted }),
    ...(origin === undefined ? {} : { origin }),
  };
}
