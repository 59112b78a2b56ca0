import { isNonEmpty, type NonEmptyArray } from "../base/non-empty.ts";
import type { ContentBlock, Message, TextBlock } from "./types.ts";

/** Returns the blocks of a message that holds only text; null for any other. */
export function textBlocksOf(message: Message): NonEmptyArray<TextBlock> | null {
  const content: readonly ContentBlock[] = message.content;
  return content.every(isText) && isNonEmpty(content) ? content : null;
}

function isText(block: ContentBlock): block is TextBlock {
  return block.type === "text";
}

/** Returns the joined text of blocks, with nothing between them; positions in a message count in this text. */
export function joinedText(blocks: readonly TextBlock[]): string {
  return blocks.map((block) => block.text).join("");
}

/**
 * Returns the blocks without empty ones and, where possible, without blocks of only blanks: these join the block
 * before them, or after them at the start. Comparison ignores such a block, and some providers refuse it. A block
 * with native extras of an API is unchanged.
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
 * Returns the blocks before and after a position in their joined text. A block that is cut loses its native extras,
 * because
 * they describe the whole block; an uncut block keeps them.
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
