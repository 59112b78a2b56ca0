import type { Message } from "../message/types.ts";
import { toolUses } from "../message/content.ts";
import { familiesOnAsking, moreTools, type FamilyOnAsking } from "./agent/more-tools.ts";
import { modelBlockTools } from "./block/model-block-tools.ts";

const blockToolNames: ReadonlySet<string> = new Set(modelBlockTools.map(({ name }) => name));
/** The id of a block, or of a message as a block, as Heddle writes them. */
const blockIdPattern = /\b[a-z]+_[0-9a-z]{8,}\/[0-9a-z_]+\/\d+\b/;
/** The name of a block tool. */
const blockToolPattern = /\b(?:block[_.][a-z]{4,}|kernel[_.]search)\b/;

/**
 * Returns the families of tools that a branch works with, from the messages before a turn: those that were called, asked for
 * with `more_tools`, or that a person named by a tool or by the id of a block. A branch never loses one again, so that
 * requests keep a common beginning.
 */
export function familiesInUse(messages: readonly Message[]): ReadonlySet<FamilyOnAsking> {
  return messages.some(usesBlocks) ? new Set(["blocks"]) : new Set();
}

/** Of a message in memory, which never changes: a long path is read before every request. */
const usesByMessage = new WeakMap<Message, boolean>();

function usesBlocks(message: Message): boolean {
  const known = usesByMessage.get(message);
  if (known !== undefined) return known;
  const uses = readsUse(message);
  usesByMessage.set(message, uses);
  return uses;
}

function readsUse(message: Message): boolean {
  switch (message.role) {
    case "assistant":
      return toolUses(message).some(({ name, parameters }) => {
        const plain = name.replaceAll(".", "_");
        return blockToolNames.has(plain) || (plain === moreTools.name && asks(parameters["families"]));
      });
    case "user":
      // What Heddle itself says to a model names blocks that nobody asked about.
      if (message.update !== undefined || message.instruction !== undefined) return false;
      return message.content.some(
        (block) => block.type === "text" && (blockIdPattern.test(block.text) || blockToolPattern.test(block.text)),
      );
    case "tool":
    case "system":
      return false;
  }
}

function asks(families: unknown): boolean {
  return Array.isArray(families) && familiesOnAsking.some((family) => families.includes(family));
}
