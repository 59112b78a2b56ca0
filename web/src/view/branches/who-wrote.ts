import type { Actor } from "../../../../src/core/base/actor.ts";
import type { ForestNode } from "../../../../src/core/forest/types.ts";

/** A stretch of a message's text, and who wrote it. */
export interface WrittenPiece {
  readonly text: string;
  readonly actor: Actor;
}

/** Returns the texts of a message, each stretch with its author; blocks are apart by a blank line. */
export function writtenPieces({ message, actor, authors = [] }: ForestNode): readonly WrittenPiece[] {
  return message.content.flatMap((block, index) => {
    if (block.type !== "text") return [];
    const pieces: WrittenPiece[] = [];
    let at = 0;
    const own = (to: number): void => {
      if (at < to) pieces.push({ text: block.text.slice(at, to), actor });
    };
    for (const author of authors) {
      if (author.block !== index) continue;
      own(author.from);
      pieces.push({ text: block.text.slice(author.from, author.to), actor: author.actor });
      at = author.to;
    }
    own(block.text.length);
    const last = message.content.findLastIndex(({ type }) => type === "text") === index;
    return last ? pieces : [...pieces, { text: "\n\n", actor }];
  });
}
