import { PrefixFold } from "../base/prefix-fold.ts";
import type { ForestNode } from "../forest/types.ts";
import type { Message } from "../message/types.ts";
import { toolUses } from "../message/content.ts";
import { familiesOnAsking, moreTools, type FamilyOnAsking } from "./agent/more-tools.ts";
import { modelBlockTools } from "./block/model-block-tools.ts";

const blockToolNames: ReadonlySet<string> = new Set(modelBlockTools.map(({ name }) => name));
/** The id of a block, or of a message as a block, as Heddle writes them. */
const blockIdPattern = /\b[a-z]+_[0-9a-z]{8,}\/[0-9a-z_]+\/\d+\b/;
/** The name of a block tool. */
const blockToolPattern = /\b(?:block[_.][a-z]{4,}|kernel[_.]search)\b/;

/** A word about comments, or the id of one. */
const commentPattern = /\b(?:comments?|commented|annotat\w*|c(?=[0-9a-z]*\d)[0-9a-z]{7})\b/i;

/** A family of tools that a branch has only where it works with it. */
export type FamilyInUse = FamilyOnAsking | "comments";

/**
 * Returns the families of tools that a branch works with, from the messages before a turn: those that were called, asked for
 * with `more_tools`, or that a person named by a tool, by the id of a block or a comment, or by the word. A branch never loses
 * one again, so that requests keep a common beginning.
 */
export function familiesInUse(messages: readonly Message[]): ReadonlySet<FamilyInUse> {
  const found = new Set<FamilyInUse>();
  for (const message of messages) for (const family of usesOf(message)) found.add(family);
  return found;
}

/** Returns the same for the messages of a path. */
export function familiesOnPath(path: readonly ForestNode[]): ReadonlySet<FamilyInUse> {
  return onPath.of(path);
}

/** Reads a long path step by step, so that `familiesOnPath` has little left to read. */
export function familiesInSteps(path: readonly ForestNode[]): Generator<void, void, undefined> {
  return onPath.steps(path);
}

const onPath = new PrefixFold<ForestNode, ReadonlySet<FamilyInUse>>(new Set(), (before, rest) => {
  const found = familiesInUse(rest.map(({ message }) => message));
  return found.size === 0 ? before : new Set([...before, ...found]);
});

const none: readonly FamilyInUse[] = [];
function usesOf(message: Message): readonly FamilyInUse[] {
  return [
    ...(readsUse(message) ? (["blocks"] as const) : none),
    ...(readsComments(message) ? (["comments"] as const) : none),
  ];
}

function readsComments(message: Message): boolean {
  switch (message.role) {
    case "assistant":
      return toolUses(message).some(({ name }) => name.replaceAll(".", "_").startsWith("comment_"));
    case "user":
      return (
        message.update === undefined &&
        message.content.some((block) => block.type === "text" && commentPattern.test(block.text))
      );
    case "tool":
      // A checked-out canvas said that it has some.
      return message.content.some((block) => block.type === "text" && block.text.includes('"open_comments":'));
    case "system":
      return false;
  }
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
