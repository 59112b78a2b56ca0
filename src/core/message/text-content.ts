import { isNonEmpty, type NonEmptyArray } from "../base/non-empty.ts";
import type { ContentBlock, Message, TextBlock } from "./types.ts";

/** The blocks of a message that holds text alone; null for another. */
export function textBlocksOf(message: Message): NonEmptyArray<TextBlock> | null {
  const content: readonly ContentBlock[] = message.content;
  const found = content.filter((block) => block.type === "text");
  return found.length === content.length && isNonEmpty(found) ? found : null;
}

/** What blocks of text say together, nothing between them: what positions in a message count in. */
export function joinedText(blocks: readonly TextBlock[]): string {
  return blocks.map((block) => block.text).join("");
}

/**
 * The same text without empty blocks and, where that is possible, without blocks of blanks alone: these join the block
 * before them, or after them at the start. Comparison does not count such a block, and some providers refuse it. A block
 * that carries what an API added is left as it is.
 */
export function withBlanksJoined(blocks: readonly TextBlock[]): readonly TextBlock[] {
  const joined: TextBlock[] = [];
  for (const block of blocks.filter((each) => each.text !== "" || each.native !== undefined)) {
    const last = joined.at(-1);
    const joins = last !== undefined && isPlain(last) && isPlain(block) && (isBlank(last) || isBlank(block));
    if (joins) joined[joined.length - 1] = { type: "text", text: last.text + block.text };
    else joined.push(block);
  }
  return joined;
}

/**
 * The blocks before and from a position in their joined text. A block that is cut loses what an API added to it, because
 * that was said of the whole; a block that stays whole keeps it.
 */
export function cutBlocks(
  blocks: readonly TextBlock[],
  at: number,
): { readonly before: readonly TextBlock[]; readonly after: readonly TextBlock[] } {
  const before: TextBlock[] = [];
  const after: TextBlock[] = [];
  let from = 0;
  for (const block of blocks) {
    const to = from + block.text.length;
    if (to <= at) before.push(block);
    else if (from >= at) after.push(block);
    else {
      before.push({ type: "text", text: block.text.slice(0, at - from) });
      after.push({ type: "text", text: block.text.slice(at - from) });
    }
    from = to;
  }
  return { before: withBlanksJoined(before), after: withBlanksJoined(after) };
}

function isPlain(block: TextBlock): boolean {
  return block.native === undefined;
}

function isBlank(block: TextBlock): boolean {
  return block.text.trim() === "";
}
