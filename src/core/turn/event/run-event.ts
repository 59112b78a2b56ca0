import * as v from "valibot";
import { sha256Hex } from "../../base/hash.ts";
import type { RunId } from "../../base/ids.ts";
import { canonicalJson } from "../../base/json.ts";
import type { ContentBlock, Message } from "../../message/types.ts";
import type { TurnEvent } from "./event.ts";
import type { TurnState } from "../state/state.ts";
import type { BringsSteers } from "../state/waiting.ts";

/** A state reduced to what a comparison needs: its type and the hash of the whole. */
export interface StateMark {
  readonly type: string;
  readonly hash: string;
}

/**
 * An event as stored: of its messages only the structure, not the text. The nodes hold the text, so that no text is stored
 * twice and a deleted text is really deleted.
 */
export type KeptEvent = { readonly type: string; readonly [field: string]: unknown };

/** One event of a run and the state it led to, stored with the state of the same step. */
export interface RunEventRecord {
  readonly runId: RunId;
  /** The run's `eventSeq` after it: rises, with gaps where the run's row changed without an event. */
  readonly seq: number;
  /** UTC milliseconds. */
  readonly at: number;
  readonly event: KeptEvent;
  readonly state: StateMark;
}

const keptBlock = v.object({
  type: v.string(),
  hash: v.string(),
  /** Of a call: enough to continue when its node is deleted. */
  call: v.exactOptional(v.object({ id: v.string(), name: v.string(), argumentsError: v.exactOptional(v.string()) })),
});
type KeptBlock = v.InferOutput<typeof keptBlock>;
const keptMessage = v.looseObject({ role: v.string(), blocks: v.pipe(v.array(keptBlock), v.minLength(1)) });
type KeptMessage = v.InferOutput<typeof keptMessage>;

const keptSteerList = v.array(v.looseObject({ id: v.string(), message: keptMessage }));

/** The fields of events that hold messages. */
const saidIn = ["message", "partial", "result"] as const;

const keptEventSchema = v.looseObject({
  type: v.string(),
  message: v.optional(v.nullable(keptMessage)),
  partial: v.optional(v.nullable(keptMessage)),
  result: v.optional(v.nullable(keptMessage)),
  steers: v.optional(keptSteerList),
});

/** Whether a stored value is a kept event. */
export function isKeptEvent(value: unknown): value is KeptEvent {
  return v.is(keptEventSchema, value);
}

/** Returns the mark by which states are compared. */
export function markOf(state: TurnState): StateMark {
  return { type: state.type, hash: shortHash(state) };
}

/** Returns the event without the text of its messages. */
export function keepEvent(event: TurnEvent): KeptEvent {
  switch (event.type) {
    case "message-sent":
    case "compaction-finished":
      return { ...event, message: keepMessage(event.message) };
    case "response-finished":
      return { ...event, message: event.message === null ? null : keepMessage(event.message), ...keptSteers(event) };
    case "response-failed":
      return { ...event, partial: event.partial === null ? null : keepMessage(event.partial) };
    case "process-restarted":
      return { ...event, partial: event.partial === null ? null : keepMessage(event.partial), ...keptSteers(event) };
    case "tool-finished":
      return { ...event, result: keepMessage(event.result), ...keptSteers(event) };
    case "request-prepared":
    case "retry-due":
    case "sub-agent-finished":
    case "approval-answered":
    case "approval-expired":
    case "question-answered":
      return { ...event, ...keptSteers(event) };
    case "reply-requested":
    case "summary-requested":
    case "compaction-requested":
    case "compaction-due":
    case "compaction-discarded":
    case "request-refused":
    case "sub-agents-planned":
    case "approval-needed":
    case "question-asked":
    case "turn-cancelled":
    case "deadline-reached":
      return { ...event };
  }
}

/** The content blocks of nodes, by hash. */
export type KnownBlocks = ReadonlyMap<string, ContentBlock>;

/** Indexes every content block of these messages by its hash. */
export function knownBlocks(messages: Iterable<Message>): KnownBlocks {
  const blocksByHash = new Map<string, ContentBlock>();
  for (const { content } of messages) for (const block of content) blocksByHash.set(shortHash(block), block);
  return blocksByHash;
}

/**
 * Returns the event with the text that the nodes still hold, as untrusted input. A placeholder replaces each block that
 * no node holds any more, and `lost` counts them.
 */
export function restoreEvent(kept: KeptEvent, known: KnownBlocks): { readonly event: unknown; readonly lost: number } {
  let lost = 0;
  const restore = ({ blocks, ...rest }: KeptMessage): object => {
    const content = blocks.map((block) => {
      const found = known.get(block.hash);
      if (found?.type === block.type) return found;
      lost += 1;
      return placeholderFor(block);
    });
    return { ...rest, content };
  };
  const restored: Record<string, unknown> = {};
  for (const field of saidIn) {
    const message = kept[field];
    if (v.is(keptMessage, message)) restored[field] = restore(message);
  }
  const { steers } = kept;
  if (v.is(keptSteerList, steers)) {
    restored["steers"] = steers.map((steer) => ({ ...steer, message: restore(steer.message) }));
  }
  return { event: { ...kept, ...restored }, lost };
}

/** The text of a placeholder for a block whose node was edited or deleted. */
export const removedBlockText = "[edited or deleted since]";

function keepMessage({ content, ...rest }: Message): KeptMessage {
  const blocks = content.map((block): KeptBlock => {
    const hash = shortHash(block);
    if (block.type !== "tool-use") return { type: block.type, hash };
    const { id, name, argumentsError } = block;
    return { type: block.type, hash, call: { id, name, ...(argumentsError === undefined ? {} : { argumentsError }) } };
  });
  return { ...rest, blocks };
}

function keptSteers({ steers }: BringsSteers): object {
  if (steers === undefined) return {};
  return { steers: steers.map(({ id, message }) => ({ id, message: keepMessage(message) })) };
}

function placeholderFor({ type, call }: KeptBlock): unknown {
  if (call !== undefined) return { type, ...call, parameters: {} };
  return {
    type: type === "thinking" || type === "notice" || type === "refusal" ? type : "text",
    text: removedBlockText,
  };
}

/** 64 bits of SHA-256: enough to distinguish the blocks and states of one conversation. */
function shortHash(value: unknown): string {
  return sha256Hex(canonicalJson(value)).slice(0, 16);
}
