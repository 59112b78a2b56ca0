import { assert } from "../../../core/base/assert.ts";
import type { RequestId } from "../../../core/base/ids.ts";
import type { BlockChange } from "../../../core/block/types.ts";
import type { ReplicaActor, DownMessage, WireChange } from "../../../core/protocol/base/messages.ts";
import { toWireBody } from "../../../core/protocol/base/wire-change.ts";
import type { ReplicaId } from "../../../core/text/types.ts";
import type { FeedRecord } from "../../../core/turn/state/feed.ts";
import { mayNameUnverified, withoutRuns, withUnverifiedNames } from "../../access/team-authors.ts";
import { ownRequestsOfAsker } from "./own-requests.ts";
import { serverLimits } from "../http/server-limits.ts";

/** A message as it is sent: serialised once for all its readers, and compared by identity. */
export class PreparedMessage {
  /** JSON; several messages sent together are separated by commas. */
  readonly text: string;
  readonly #teamText: (() => string) | null;
  #bytes: Uint8Array | null = null;
  #forTeam: PreparedMessage | null = null;

  /** `teamText` gives the text for people of a team, where it is cheaper to write than to read from this one. */
  constructor(text: string, teamText: (() => string) | null = null) {
    this.text = text;
    this.#teamText = teamText;
  }

  /** The text in UTF-8. A short text is part of many frames, so it is encoded once. */
  get bytes(): Uint8Array {
    if (this.#bytes !== null) return this.#bytes;
    const bytes = Buffer.from(this.text);
    if (bytes.length <= sharedBytesMax) this.#bytes = bytes;
    return bytes;
  }

  /** As people of a team get it: who reads a document may not know of the conversation whose agent wrote in it. */
  get forTeam(): PreparedMessage {
    return (this.#forTeam ??= this.#toldTeam());
  }

  #toldTeam(): PreparedMessage {
    if (this.#teamText !== null) return new PreparedMessage(this.#teamText());
    const hasRuns = ofDocument.test(this.text) && /"(?:runId|turnId|conversationId)":/u.test(this.text);
    if (!hasRuns && !mayNameUnverified(this.text)) return this;
    const messages: unknown = JSON.parse(`[${this.text}]`);
    const told = withUnverifiedNames(hasRuns ? withoutRuns(messages) : messages) as readonly object[];
    return new PreparedMessage(told.map((message) => JSON.stringify(message)).join(","));
  }
}

const sharedBytesMax = 2_048;

/** What messages about a document begin with. */
const ofDocument = /^\{"type":"(?:block-snapshot|block-change|lease-changed|suggestions|threads)"/u;

export function prepare(message: DownMessage): PreparedMessage {
  return new PreparedMessage(JSON.stringify(message));
}

/**
 * A document as it is sent. Its bytes are written as they are, since base64 needs no escapes: in a text of 24 MB of history,
 * which people of a team get without runs, looking for them would take half a second.
 */
export function prepareSnapshot({ text, ...rest }: Extract<DownMessage, { type: "block-snapshot" }>): PreparedMessage {
  const written = (around: object): string => `${JSON.stringify(around).slice(0, -1)},"text":"${text}"}`;
  return new PreparedMessage(written(rest), () => written(withUnverifiedNames(withoutRuns(rest)) as object));
}

/** Encodes like `encodeBase64`, thirty times as fast. */
export function base64(bytes: Uint8Array): string {
  return Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");
}

/** Changes committed together, as their watchers receive them. */
export interface PreparedChanges {
  readonly changes: readonly BlockChange[];
  readonly replicas: readonly ReplicaId[];
  /** Prefixes of the request ids of the clients that requested a change. */
  readonly requesters: readonly string[];
  /** Each change alone, without its request id. */
  readonly each: readonly PreparedMessage[];
  /**
   * All changes, for watchers that know all replicas and requested none of them; null if they are too large for one
   * frame.
   */
  readonly together: PreparedMessage | null;
}

/** Watchers of a commit are notified before any other commit, so only the last is kept, and weakly. */
let lastPrepared: WeakRef<PreparedChanges> | null = null;

export function preparedChangesOf(changes: readonly BlockChange[]): PreparedChanges {
  const known = lastPrepared?.deref();
  if (known?.changes === changes) return known;
  const each = changes.map((change) => prepare({ type: "block-change", change: withoutRequest(change) }));
  const prepared = {
    changes,
    replicas: distinct(changes.flatMap(replicasOf)),
    requesters: changes.flatMap(({ requestId }) => (requestId === undefined ? [] : ownRequestsOfAsker(requestId))),
    each,
    together: joined(each),
  };
  lastPrepared = new WeakRef(prepared);
  return prepared;
}

function distinct<Value>(values: readonly Value[]): readonly Value[] {
  return values.length > 1 ? [...new Set(values)] : values;
}

function joined(messages: readonly PreparedMessage[]): PreparedMessage | null {
  const units = messages.reduce((sum, { text }) => sum + text.length, 0);
  if (units > serverLimits.frameUnitsGathered) return null;
  const [only] = messages;
  return messages.length === 1 && only !== undefined
    ? only
    : new PreparedMessage(messages.map(({ text }) => text).join(","));
}

/** Whose operations a change carries. */
export function replicasOf({ body }: BlockChange): readonly ReplicaId[] {
  return body.type === "text" || body.type === "created" ? body.spans.map(({ replica }) => replica) : [];
}

const changeEnd = "}}";

/** Returns a change for the watcher that requested it under this id. */
export function preparedAsked({ text }: PreparedMessage, requestId: string): PreparedMessage {
  assert(text.endsWith(changeEnd), "a change is the last of its message");
  return new PreparedMessage(
    `${text.slice(0, -changeEnd.length)},"requestId":${JSON.stringify(requestId)}${changeEnd}`,
  );
}

/** Returns a change with the actors of replicas the watcher does not know yet. */
export function preparedNaming(
  change: BlockChange,
  replicas: readonly ReplicaActor[],
  requestId: RequestId | undefined,
): PreparedMessage {
  const told = withoutRequest(change);
  return prepare({ type: "block-change", change: requestId === undefined ? told : { ...told, requestId }, replicas });
}

/** Field by field: a copy of all but one would cost as much as writing it. */
function withoutRequest({ blockId, documentId, version, actor, at, body }: BlockChange): WireChange {
  return { blockId, documentId, version, actor, at, body: toWireBody(body, base64) };
}

const preparedRecords = new WeakMap<FeedRecord, PreparedMessage>();

/** Returns a feed entry as all watchers of the conversation receive it. */
export function preparedRecord(record: FeedRecord): PreparedMessage {
  const known = preparedRecords.get(record);
  if (known !== undefined) return known;
  const prepared = prepare({ type: "feed", record });
  preparedRecords.set(record, prepared);
  return prepared;
}
