import { canGoOn } from "../../../../src/core/forest/cut-reply.ts";
import type { ForestNode } from "../../../../src/core/forest/types.ts";
import { wordsOf } from "../words/words.ts";

/** Whether a person may change the words of a reply: it has some, and makes no calls. */
export function isEditable(node: Pick<ForestNode, "message">): boolean {
  return wordsOf(node.message) !== "" && canGoOn(node);
}
