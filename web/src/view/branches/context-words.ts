import type { NodeId } from "../../../../src/core/base/ids.ts";
import type { ForestNode } from "../../../../src/core/forest/types.ts";
import type { BranchContext } from "../../../../src/core/protocol/commands.ts";
import { excerpt, wordsOf } from "../words/words.ts";
import { instructionLine } from "./hidden.ts";

const number = new Intl.NumberFormat("en");

/** Returns a number of tokens in words. */
export function tokenWords(tokens: number): string {
  return `${number.format(tokens)} ${tokens === 1 ? "token" : "tokens"}`;
}

/** Returns a share in whole per cent; null without a whole. */
export function shareOf(part: number, whole: number | null): number | null {
  return whole === null || whole === 0 ? null : Math.min(100, Math.round((part / whole) * 100));
}

/** Returns who said a message of a request, and how it begins. */
export function messageTitle(
  { nodeId, kind }: { readonly nodeId: NodeId | null; readonly kind?: BranchContext["messages"][number]["kind"] },
  nodesById: ReadonlyMap<NodeId, ForestNode>,
): string {
  if (nodeId === null) return "Canvas update before your next message";
  const node = nodesById.get(nodeId);
  if (node === undefined) return "A message";
  const { message, actor } = node;
  if (kind === "canvas-update" || (message.role === "user" && message.update !== undefined)) return "Canvas update";
  if (node.compacts !== undefined) return "Summary of earlier messages";
  const told = instructionLine(node);
  if (told !== null) return told;
  if (message.role === "tool") return `Result of ${message.tool_name}`;
  const words = excerpt(wordsOf(message), 60);
  if (words !== "") return `${actor.name}: ${words}`;
  const calls =
    message.role === "assistant" ? message.content.flatMap((b) => (b.type === "tool-use" ? [b.name] : [])) : [];
  return calls.length === 0 ? actor.name : `${actor.name} calls ${calls.join(", ")}`;
}

/** Returns why a message is not sent. */
export function whyLeftOut(why: BranchContext["leftOut"][number]["why"]): string {
  switch (why.reason) {
    case "excluded":
      return "Left out by a person";
    case "summed-up":
      return "Replaced by the summary";
    case "unused-summary":
      return "A summary that is not in use";
  }
}
