import { assert } from "../../core/base/assert.ts";
import type { RequestId } from "../../core/base/ids.ts";
import type { BlockChange } from "../../core/block/types.ts";
import type { AgentActor, DownMessage, WireChange } from "../../core/protocol/messages.ts";
import { toWireChange } from "../../core/protocol/wire-change.ts";
import type { AgentId } from "../../core/text/types.ts";
import type { FeedRecord } from "../../core/turn/feed.ts";
import { ownRequestsOfAsker } from "./own-requests.ts";
import { serverLimits } from "./server-limits.ts";

/** A message in the form in which it is sent: written once, however many get it, and known again as itself. */
export interface PreparedMessage {
  /** JSON; of several that are told together, parted by commas. */
  readonly text: string;
}

export function prepare(message: DownMessage): PreparedMessage {
  return { text: JSON.stringify(message) };
}

/** What `encodeBase64` gives, thirty times as fast. */
export function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");
}

const preparedChanges = new WeakMap<BlockChange, PreparedMessage>();

/** A block's change as all watchers of the block get it: whoever asked for it is nobody's they know. */
export function preparedChange(change: BlockChange): PreparedMessage {
  const known = preparedChanges.get(change);
  if (known !== undefined) return known;
  const prepared = prepare({ type: "block-change", change: withoutRequest(change) });
  preparedChanges.set(change, prepared);
  return prepared;
}

/** Changes that were made together, as those get them who know all their agents and asked for none of them. */
export interface PreparedChanges {
  readonly agents: readonly AgentId[];
  /** What stands before the requests of those who asked for any. */
  readonly askers: ReadonlySet<string>;
  /** None where they are too much for one frame. */
  readonly message: PreparedMessage | null;
}

const preparedTogether = new WeakMap<readonly BlockChange[], PreparedChanges>();

export function preparedChangesOf(changes: readonly BlockChange[]): PreparedChanges {
  const known = preparedTogether.get(changes);
  if (known !== undefined) return known;
  const messages = changes.map(preparedChange);
  const units = messages.reduce((sum, { text }) => sum + text.length, 0);
  const prepared: PreparedChanges = {
    agents: [...new Set(changes.flatMap(agentsOf))],
    askers: new Set(changes.flatMap(({ requestId }) => (requestId === undefined ? [] : ownRequestsOfAsker(requestId)))),
    message: units > serverLimits.frameUnitsGathered ? null : { text: messages.map(({ text }) => text).join(",") },
  };
  preparedTogether.set(changes, prepared);
  return prepared;
}

/** Whose operations a change carries. */
export function agentsOf({ what }: BlockChange): readonly AgentId[] {
  return what.type === "text" || what.type === "created" ? what.spans.map(({ agent }) => agent) : [];
}

const changeEnd = "}}";

/** The same for the watcher that asked for it, and knows it by this id. */
export function preparedChangeAsked(change: BlockChange, requestId: string): PreparedMessage {
  const { text } = preparedChange(change);
  assert(text.endsWith(changeEnd), "a change is the last of its message");
  return { text: `${text.slice(0, -changeEnd.length)},"requestId":${JSON.stringify(requestId)}${changeEnd}` };
}

/** The same for a watcher that does not know yet who these agents are. */
export function preparedChangeNaming(
  change: BlockChange,
  agents: readonly AgentActor[],
  requestId: RequestId | undefined,
): PreparedMessage {
  const told = withoutRequest(change);
  return prepare({ type: "block-change", change: requestId === undefined ? told : { ...told, requestId }, agents });
}

/** Field by field: a copy of all but one would cost as much as writing it. */
function withoutRequest(change: BlockChange): WireChange {
  const { blockId, documentId, version, actor, at, what } = toWireChange(change, base64);
  return { blockId, documentId, version, actor, at, what };
}

const preparedRecords = new WeakMap<FeedRecord, PreparedMessage>();

/** A feed entry as all watchers of the conversation get it. */
export function preparedRecord(record: FeedRecord): PreparedMessage {
  const known = preparedRecords.get(record);
  if (known !== undefined) return known;
  const prepared = prepare({ type: "feed", record });
  preparedRecords.set(record, prepared);
  return prepared;
}
