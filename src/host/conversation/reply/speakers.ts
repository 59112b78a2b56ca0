import type { ActorId } from "../../../core/base/ids.ts";
import { PrefixFold } from "../../../core/base/prefix-fold.ts";
import type { ForestNode } from "../../../core/forest/types.ts";
import type { SentNode } from "../../../core/forest/sent-path.ts";
import { isWrittenByHeddle } from "../../../core/message/canvas-update.ts";
import type { Message, UserMessage } from "../../../core/message/types.ts";

/** Tells a model about messages during its work; constant, so that requests keep their prefix. */
export const steeringPrompt =
  "People may write while you work; their words then follow the results of your tools. What was said last counts.";

const nameUnitsMax = 64;

/**
 * Returns what is sent of a path as models read it. The messages of everybody but the first person who wrote begin with
 * a line that names the sender as they were called then, so that a second person changes nothing about the path before.
 */
export function messagesWithNames(path: readonly ForestNode[], sent: readonly SentNode[]): readonly Message[] {
  const first = path.find(isPersons);
  return first === undefined ? nobodys.of(sent) : foldOf(first).of(sent);
}

/** The messages that are sent, by the first message of the person who needs no name. */
const foldsByFirst = new WeakMap<ForestNode, PrefixFold<SentNode, readonly Message[]>>();

const nobodys = namedFold(null);

function foldOf(first: ForestNode): PrefixFold<SentNode, readonly Message[]> {
  const known = foldsByFirst.get(first);
  if (known !== undefined) return known;
  const fold = namedFold(first.actor.id);
  foldsByFirst.set(first, fold);
  return fold;
}

function namedFold(first: ActorId | null): PrefixFold<SentNode, readonly Message[]> {
  return new PrefixFold<SentNode, readonly Message[]>([], (before, rest) =>
    before.concat(
      rest.map(({ node, message }) => {
        const { actor } = node;
        const isNamed = message.role === "user" && isPersons(node) && actor.id !== first;
        return isNamed ? named(message, actor.name) : message;
      }),
    ),
  );
}

function isPersons({ message, actor }: ForestNode): boolean {
  return message.role === "user" && actor.type === "person" && !isWrittenByHeddle(message);
}

function named(message: UserMessage, name: string): UserMessage {
  const line = `[${lineOf(name)}]`;
  const at = message.content.findIndex(({ type }) => type === "text");
  const block = message.content[at];
  if (block?.type !== "text") return { ...message, content: [{ type: "text", text: line }, ...message.content] };
  const [start, ...rest] = message.content.with(at, { ...block, text: `${line}\n${block.text}` });
  return start === undefined ? message : { ...message, content: [start, ...rest] };
}

/** A name as one line that cannot end its brackets. */
function lineOf(name: string): string {
  const line = name.replace(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}[\]\s]+/gu, " ").trim();
  return line === "" ? "Somebody" : line.slice(0, nameUnitsMax);
}
