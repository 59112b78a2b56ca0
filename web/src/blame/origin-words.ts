import type { Actor, ModelActor } from "../../../src/core/base/actor.ts";
import type { NodeId, RootId, ToolCallId } from "../../../src/core/base/ids.ts";
import type { ForestNode } from "../../../src/core/forest/types.ts";
import type { OpOrigin } from "../../../src/core/protocol/commands.ts";
import { isHidden } from "../view/branches/hidden.ts";
import { momentLabel } from "../view/words/undo-label.ts";
import { excerpt, wordsOf } from "../view/words/words.ts";

/** Why a piece of text is there, for people. */
export interface OriginWords {
  readonly actor: Actor;
  /** "Scribe", or "You". */
  readonly who: string;
  /** "15:04 · r12", or that it is not known. */
  readonly when: string;
  /** By which tool, and what had been asked; empty where there is nothing more to say. */
  readonly how: string;
  /** Where it was done; null for what was typed. */
  readonly place: OriginPlace | null;
}

/** The message of an agent that a change was made with. */
export interface OriginPlace {
  readonly rootId: RootId;
  /** null where it is of another conversation than the open one. */
  readonly nodeId: NodeId | null;
  readonly callId: ToolCallId | null;
}

export interface OriginReader {
  readonly selfId: string | null;
  readonly nodesById: ReadonlyMap<NodeId, ForestNode>;
  /** UTC milliseconds. */
  readonly now: number;
}

/** Describes one origin; `actor` is who wrote it where the server knows no more. */
export function originWords(origin: OpOrigin | null, actor: Actor, reader: OriginReader): OriginWords {
  const who = actor.id === reader.selfId ? "You" : actor.name;
  if (origin === null) return { actor, who, when: "time unknown", how: "", place: null };
  const when = `${momentLabel(origin.at, reader.now)} · r${origin.version}`;
  const writer = origin.actor;
  if (writer.type !== "model" || origin.rootId === null) return { actor, who, when, how: "", place: null };
  const call = callOf(writer, reader.nodesById);
  const place = { rootId: origin.rootId, nodeId: call?.node.id ?? null, callId: writer.toolCallId ?? null };
  const how = call === null ? "in another conversation" : howWords(call, reader);
  const kept =
    origin.keptBy === null ? "" : `kept by ${origin.keptBy.id === reader.selfId ? "you" : origin.keptBy.name}`;
  return { actor, who, when, how: [how, kept].filter((part) => part !== "").join("; "), place };
}

interface FoundCall {
  readonly node: ForestNode;
  readonly toolName: string | null;
}

/** The reply with the call that a change was made by. */
function callOf({ toolCallId }: ModelActor, nodesById: OriginReader["nodesById"]): FoundCall | null {
  if (toolCallId === undefined) return null;
  return replyWithCall(nodesById, toolCallId);
}

export function replyWithCall(nodesById: OriginReader["nodesById"], callId: ToolCallId): FoundCall | null {
  for (const node of nodesById.values()) {
    if (node.message.role !== "assistant") continue;
    for (const block of node.message.content) {
      if (block.type === "tool-use" && block.id === callId) return { node, toolName: block.name };
    }
  }
  return null;
}

function howWords({ node, toolName }: FoundCall, { nodesById }: OriginReader): string {
  const question = questionOf(node, nodesById);
  const asked = question === null ? "" : `asked “${excerpt(wordsOf(question.message), 60)}”`;
  return [toolName, asked].filter((part) => part !== null && part !== "").join(", ");
}

function questionOf(node: ForestNode, nodesById: OriginReader["nodesById"]): ForestNode | null {
  for (let above = node.parentId; above !== null;) {
    const found = nodesById.get(above);
    if (found === undefined) return null;
    if (found.message.role === "user" && !isHidden(found)) return found;
    above = found.parentId;
  }
  return null;
}

/** The same on one line. */
export function originLine({ who, when, how }: OriginWords): string {
  return [who, when, how].filter((part) => part !== "").join(" · ");
}

/** What is said of a line: each turn, and each person's sitting, once, in the order of the text. */
export function distinctOrigins(words: readonly OriginWords[]): readonly OriginWords[] {
  const seen = new Set<string>();
  return words.filter(({ actor, when, how, place }) => {
    const key = `${actor.id} ${place?.callId ?? when} ${how}`;
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}
