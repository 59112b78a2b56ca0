import type { Actor, ModelActor } from "../../../src/core/base/actor.ts";
import type { NodeId, RootId, ToolCallId } from "../../../src/core/base/ids.ts";
import type { ForestNode } from "../../../src/core/forest/types.ts";
import type { OpOrigin } from "../../../src/core/protocol/commands.ts";
import { isHidden } from "../view/branches/hidden.ts";
import { momentLabel } from "../view/words/undo-label.ts";
import { excerpt, wordsOf } from "../view/words/words.ts";

/** Explains to people why a piece of text is there. */
export interface OriginWords {
  readonly actor: Actor;
  /** "Scribe", or "You". */
  readonly who: string;
  /** "15:04 · r12", or that the time is unknown. */
  readonly when: string;
  /** The tool and the question; empty when unknown. */
  readonly how: string;
  /** The message of the change; null for typed text. */
  readonly place: OriginPlace | null;
}

/** The agent's message that made a change. */
export interface OriginPlace {
  readonly rootId: RootId;
  /** null when the message is in another conversation. */
  readonly nodeId: NodeId | null;
  readonly callId: ToolCallId | null;
}

export interface OriginReader {
  readonly selfId: string | null;
  readonly nodesById: ReadonlyMap<NodeId, ForestNode>;
  /** UTC milliseconds. */
  readonly now: number;
}

/** Describes one origin; `actor` is the author when the server knows no origin. */
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

/** Returns the reply with the call that made a change. */
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

/** Returns the words on one line. */
export function originLine({ who, when, how }: OriginWords): string {
  return [who, when, how].filter((part) => part !== "").join(" · ");
}

/** Returns each turn and each person's sitting once, in text order. */
export function distinctOrigins(words: readonly OriginWords[]): readonly OriginWords[] {
  const seen = new Set<string>();
  return words.filter(({ actor, when, how, place }) => {
    const key = `${actor.id} ${place?.callId ?? when} ${how}`;
    if (seen.has(key)) return false;
    seen.add(key);
    return true;
  });
}
