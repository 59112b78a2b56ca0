import * as v from "valibot";
import {
  blockChangeMessage,
  blockSnapshotMessage,
  leaseChangedMessage,
  presenceOfMessage,
  suggestionsMessage,
  threadsMessage,
} from "./down/block.ts";
import {
  answerMessage,
  pongMessage,
  pushedMessage,
  refusedMessage,
  terminatedMessage,
  welcomeMessage,
} from "./down/connection.ts";
import { conversationSnapshotMessage, feedMessage } from "./down/conversation.ts";
import { foldersMessage } from "./down/folders.ts";
import { listMessage, peopleMessage } from "./down/lists.ts";
import { modelsChangedMessage } from "./down/models-changed.ts";
import type { DownMessage } from "./base/messages.ts";

/** The schemas of every message of a server, as a client checks it. */
export const downMessages: {
  readonly [Type in DownMessage["type"]]: v.GenericSchema<unknown, Extract<DownMessage, { type: Type }>>;
} = {
  welcome: welcomeMessage,
  list: listMessage,
  people: peopleMessage,
  folders: foldersMessage,
  "models-changed": modelsChangedMessage,
  "conversation-snapshot": conversationSnapshotMessage,
  feed: feedMessage,
  "block-snapshot": blockSnapshotMessage,
  "block-change": blockChangeMessage,
  "lease-changed": leaseChangedMessage,
  suggestions: suggestionsMessage,
  threads: threadsMessage,
  presence: presenceOfMessage,
  pushed: pushedMessage,
  answer: answerMessage,
  refused: refusedMessage,
  terminated: terminatedMessage,
  pong: pongMessage,
};

/**
 * Reads one frame of a server: a JSON array of messages. Skips messages of an unknown type; returns undefined if the
 * frame or a known message is malformed, because the feed could then have a gap.
 */
export function readDownFrame(text: string): readonly DownMessage[] | undefined {
  const frame = parse(text);
  if (!Array.isArray(frame)) return undefined;
  const messages: DownMessage[] = [];
  for (const item of frame as readonly unknown[]) {
    const type = typeOf(item);
    if (type === undefined) return undefined;
    if (!isKnown(type)) continue;
    const schema: v.GenericSchema<unknown, DownMessage> = downMessages[type];
    const read = v.safeParse(schema, item);
    if (!read.success) return undefined;
    messages.push(read.output);
  }
  return messages;
}

function isKnown(type: string): type is DownMessage["type"] {
  return Object.hasOwn(downMessages, type);
}

function typeOf(item: unknown): string | undefined {
  if (typeof item !== "object" || item === null || !("type" in item)) return undefined;
  return typeof item.type === "string" ? item.type : undefined;
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
