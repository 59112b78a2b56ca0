import type { NodeId } from "../../../../src/core/base/ids.ts";
import type { ForestNode } from "../../../../src/core/forest/types.ts";
import type { ContentBlock } from "../../../../src/core/message/types.ts";
import type { Branches } from "./path.ts";

/** Returns the text of a message that can be split: a person's or a model's, only text, more than one character. */
export function splittableText({ message }: ForestNode): string | null {
  if (message.role !== "user" && message.role !== "assistant") return null;
  if (message.role === "user" && message.update !== undefined) return null;
  const blocks: readonly ContentBlock[] = message.content;
  const texts = blocks.flatMap((block) => (block.type === "text" ? [block.text] : []));
  const text = texts.join("");
  return texts.length === blocks.length && text.length > 1 ? text : null;
}

/** Returns the ids of everything below a message, without its own. */
export function idsBelow({ childrenByParent }: Pick<Branches, "childrenByParent">, id: NodeId): readonly NodeId[] {
  const found: NodeId[] = [];
  const waiting: NodeId[] = [id];
  for (let next = waiting.pop(); next !== undefined; next = waiting.pop()) {
    const children = childrenByParent.get(next) ?? [];
    found.push(...children);
    waiting.push(...children);
  }
  return found;
}

/** Parses labels separated by commas, each once. */
export function tagsIn(text: string): readonly string[] {
  return [...new Set(text.split(",").map((tag) => tag.trim()))].filter((tag) => tag !== "");
}
