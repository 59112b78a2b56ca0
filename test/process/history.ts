import { assert } from "../../src/core/base/assert.ts";
import type { NodeId } from "../../src/core/base/ids.ts";
import type { ForestNode } from "../../src/core/forest/types.ts";
import { isCanvasUpdate } from "../../src/core/message/canvas-update.ts";
import { checkTranscript, openCalls } from "../../src/core/message/transcript.ts";
import type { Message, ToolMessage } from "../../src/core/message/types.ts";

/** Returns the messages of every branch, from first to last. */
function branchesOf(nodes: readonly ForestNode[]): readonly (readonly Message[])[] {
  const nodesById = new Map<NodeId | null, ForestNode>(nodes.map((node) => [node.id, node]));
  const parents = new Set(nodes.map((node) => node.parentId));
  return nodes
    .filter((node) => !parents.has(node.id))
    .map((leaf) => {
      const messages: Message[] = [];
      for (let at: ForestNode | undefined = leaf; at !== undefined; at = nodesById.get(at.parentId)) {
        messages.unshift(at.message);
      }
      return messages;
    });
}

/** Throws unless providers accept every branch: each call has its one result, except while its tool runs. */
export function assertHistory(nodes: readonly ForestNode[], when: "idle" | "running"): void {
  for (const branch of branchesOf(nodes)) {
    const valid = when === "idle" ? checkTranscript(branch) : openCalls(branch);
    assert(valid.ok, `a branch ${when} is no valid history: ${JSON.stringify(valid)} ${JSON.stringify(branch)}`);
  }
}

/** Returns the tool results, oldest first. */
export function toolResultsOf(nodes: Iterable<ForestNode>): readonly ToolMessage[] {
  return [...nodes].flatMap(({ message }) => (message.role === "tool" ? [message] : []));
}

/** Returns the texts of people and models, without canvas updates. */
export function spokenOf(nodes: Iterable<ForestNode>): readonly ForestNode[] {
  return [...nodes].filter(({ message }) => !isCanvasUpdate(message));
}

export function lastWords(nodes: Iterable<ForestNode>): string {
  const last = spokenOf(nodes).at(-1);
  return last === undefined ? "" : wordsOf(last.message);
}

/** Returns a message's text. */
export function wordsOf(message: Message): string {
  return message.content.map((block) => ("text" in block ? block.text : "")).join("\n");
}
