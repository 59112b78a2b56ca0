import type { Actor } from "../../core/base/actor.ts";
import { refusal } from "../../core/base/errors.ts";
import type { BlockId, DocumentId, RequestId } from "../../core/base/ids.ts";
import type { BlockChange, BlockChangeBody } from "../../core/block/types.ts";
import type { ReplicaId } from "../../core/text/types.ts";
import type { FreshCopy } from "./fresh-copy.ts";
import type { PendingPush } from "./pending-edits.ts";
import type { ReplicaEffect, ReplicaEvent, ReplicaState } from "./replica-state.ts";

export const ours = 7 as ReplicaId;
const another = 8 as ReplicaId;
const firstPush = "push-1" as RequestId;
const secondPush = "push-2" as RequestId;
const nextPush = "push-3" as RequestId;

const person: Actor = { type: "person", id: "person_1" as never, name: "Ada" };

/** A push of one word at the seqs that its place gives it. */
export function push(requestId: RequestId, stage: PendingPush["stage"], inserted = `<${requestId}>`): PendingPush {
  return { requestId, stage, base: [], seq: 0, endSeq: inserted.length, inserted, edits: 1 };
}

/** A change of the block, by default somebody else's text. */
function change(version: number, requestId?: RequestId, body: BlockChangeBody = othersText): BlockChange {
  return {
    blockId: "doc_1/1/1" as BlockId,
    documentId: "doc_1" as DocumentId,
    version,
    actor: person,
    at: 0,
    ...(requestId === undefined ? {} : { requestId }),
    body,
  };
}

const othersText: BlockChangeBody = { type: "text", update: new Uint8Array(1), spans: [], unit: { id: "unit_1" } };

/** What the machine hands on and never looks into. */
export const someCopy = { header: { version: 9 } } as unknown as FreshCopy;

const none = { type: "none" } as const;
const copy = { replicaId: ours, version: 3, hold: none, confirmed: [] } as const;

/** One state of each kind, and those in which events do something else. */
export const states = {
  connecting: { type: "connecting", hold: none },
  opening: { type: "opening", replicaId: ours, hold: none, damaged: 0 },
  "opening, two copies damaged": { type: "opening", replicaId: ours, hold: none, damaged: 2 },
  "following, nothing pending": { type: "following", ...copy, pushes: [] },
  "following, one in flight and one open": {
    type: "following",
    ...copy,
    pushes: [push(firstPush, "in-flight"), push(secondPush, "open")],
  },
  "following, one confirmed": { type: "following", ...copy, pushes: [], confirmed: [firstPush] },
  "following, undoing": {
    type: "following",
    ...copy,
    pushes: [push(firstPush, "in-flight"), push(secondPush, "open")],
    hold: { type: "undoing", before: [firstPush] },
  },
  resyncing: {
    type: "resyncing",
    ...copy,
    nextReplicaId: ours,
    damaged: 0,
    pushes: [push(firstPush, "in-flight"), push(secondPush, "open")],
  },
  gone: { type: "gone", replicaId: ours, nextReplicaId: ours, hold: none },
  closed: { type: "closed" },
} as const satisfies Record<string, ReplicaState>;

/** One event of each kind, and those that lead elsewhere. */
export const events = {
  "connected again": { type: "connected", replicaId: ours, restarted: false },
  "connected as another replica": { type: "connected", replicaId: another, restarted: false },
  "connected to a restarted server": { type: "connected", replicaId: ours, restarted: true },
  disconnected: { type: "disconnected" },
  edited: {
    type: "edited",
    edit: { requestId: nextPush, base: [], seq: 0, endSeq: 1, inserted: "x", edits: 1 },
    delta: [{ from: 0, to: 0, insert: "x" }],
    encoded: false,
    more: false,
  },
  "undo requested": { type: "undo-requested" },
  "undo answered": { type: "undo-answered", version: 5 },
  "copy damaged": { type: "copy-damaged" },
  "copy received": { type: "copy-received", copy: someCopy },
  "copy adopted": { type: "copy-adopted", version: 9, pushes: [push(firstPush, "ready")], delta: [], lost: null },
  "next change": { type: "change-received", change: change(4) },
  "next change, of a pending push": { type: "change-received", change: change(4, firstPush) },
  "next change, of the header": {
    type: "change-received",
    change: change(4, undefined, { type: "status", status: "done" }),
  },
  "next change, the deletion": { type: "change-received", change: change(4, undefined, { type: "deleted" }) },
  "next change, the restoration": { type: "change-received", change: change(4, undefined, { type: "restored" }) },
  "old change": { type: "change-received", change: change(3) },
  "change after a gap": { type: "change-received", change: change(5) },
  "change unreadable": { type: "change-unreadable" },
  "change merged": { type: "change-merged", change: change(4), delta: [] },
  "merge refused": { type: "merge-refused" },
  "push confirmed": { type: "push-confirmed", requestId: firstPush },
  "push refused": { type: "push-refused", requestId: firstPush, reason: refusal("CANVAS_LEASED") },
  "push refused for now": { type: "push-refused", requestId: firstPush, reason: refusal("STORE_FULL") },
  "push refused as a gap": { type: "push-refused", requestId: firstPush, reason: refusal("UPDATE_GAP") },
  "push retry due": { type: "push-retry-due" },
  "watch refused": { type: "watch-refused", reason: refusal("BLOCK_NOT_FOUND") },
  "watch refused for now": { type: "watch-refused", reason: refusal("STORE_FAILED") },
  "watch retry due": { type: "watch-retry-due" },
  closed: { type: "closed" },
} as const satisfies Record<string, ReplicaEvent>;

/** A state in short, such as `following 3 as 7 [push-1 in-flight]`. */
export function shownState(state: ReplicaState): string {
  const facts: string[] = [state.type];
  if ("version" in state) facts.push(`${state.version}`);
  if ("replicaId" in state) facts.push(`as ${state.replicaId}`);
  if ("nextReplicaId" in state && state.nextReplicaId !== state.replicaId) facts.push(`then ${state.nextReplicaId}`);
  if ("damaged" in state && state.damaged > 0) facts.push(`damaged ${state.damaged}`);
  if ("pushes" in state && state.pushes.length > 0) {
    facts.push(`[${state.pushes.map(({ requestId, stage }) => `${requestId} ${stage}`).join(", ")}]`);
  }
  if ("confirmed" in state && state.confirmed.length > 0) facts.push(`confirmed ${state.confirmed.join(" ")}`);
  if ("hold" in state && state.hold.type !== "none") facts.push(state.hold.type);
  return facts.join(" ");
}

/** An effect in short, such as `push push-1`. */
export function shownEffect(effect: ReplicaEffect): string {
  switch (effect.type) {
    case "watch":
      return `watch ${effect.afterVersion}`;
    case "encode":
    case "push":
      return `${effect.type} ${effect.requestId}`;
    case "notify":
      return `notify ${effect.origin.type}`;
    case "report":
      return `report ${effect.reason.code}${effect.lost === null ? "" : ` lost ${effect.lost}`}`;
    case "clear-report":
    case "schedule-retry":
    case "reset-retry":
      return `${effect.type} ${effect.of}`;
    case "adopt-copy":
      return `adopt-copy ${effect.formerId} ${effect.replicaId}`;
    case "merge":
    case "apply-header":
    case "cancel-retries":
    case "send-selection":
    case "clear-presence":
    case "dispose":
      return effect.type;
  }
}
