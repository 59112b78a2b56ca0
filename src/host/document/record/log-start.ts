import * as v from "valibot";
import { assert } from "../../../core/base/assert.ts";
import type { BlockId } from "../../../core/base/ids.ts";
import { isJsonObject, type JsonObject } from "../../../core/base/json.ts";
import type { BlockChange } from "../../../core/block/types.ts";
import type { Store } from "../../../core/port/store.ts";
import type { TextVersion } from "../../../core/text/types.ts";
import { versionAfter } from "../../../core/text/version-after.ts";
import { noUndo, type UndoState } from "./undo-state.ts";

/** The start of the kept part of a block's log, and the state there. */
export interface LogStart {
  readonly beforeVersion: number;
  /** The text version right before the start. */
  readonly textVersion: TextVersion;
  readonly undo: UndoState;
}

const wholeLog: LogStart = { beforeVersion: 1, textVersion: [], undo: noUndo };

/** Reads the start of a block's log: version 1 while the log is whole. */
export async function readLogStart(store: Pick<Store, "logStart">, blockId: BlockId): Promise<LogStart> {
  const start = await store.logStart(blockId);
  if (start === null) return wholeLog;
  const { state } = start;
  assert(isState(state), `the log start of ${blockId} is readable`);
  return { beforeVersion: start.beforeVersion, ...state };
}

/** Returns the state as it is stored. */
export function logState({ textVersion, undo }: LogStart): JsonObject {
  const state: unknown = JSON.parse(JSON.stringify({ textVersion, undo }));
  assert(isJsonObject(state), "an object stays an object in JSON");
  return state;
}

/** Maps each readable block version to its text version: before the first kept change, and after each change. */
export function textVersions(from: LogStart, log: readonly BlockChange[]): ReadonlyMap<number, TextVersion> {
  const versions = new Map<number, TextVersion>();
  let textVersion = from.textVersion;
  versions.set(from.beforeVersion - 1, textVersion);
  for (const { version, body } of log) {
    if (body.type === "created" || body.type === "text") textVersion = versionAfter(textVersion, body);
    versions.set(version, textVersion);
  }
  return versions;
}

/** Reads the text version at a block version from the log; undefined when the log begins later. */
export async function storedTextVersion(
  store: Store,
  blockId: BlockId,
  version: number,
): Promise<TextVersion | undefined> {
  const from = await readLogStart(store, blockId);
  const log = await store.changes({ blockId, afterVersion: from.beforeVersion - 1 });
  return textVersions(
    from,
    log.filter((change) => change.version <= version),
  ).get(version);
}

const whole = v.pipe(v.number(), v.safeInteger());
const ids = v.array(v.string());
const spans = v.array(v.object({ replica: whole, seq: whole, length: whole }));
const idsByReplica = v.array(v.tuple([whole, ids]));
const unit = v.object({
  id: v.string(),
  replica: whole,
  turnId: v.optional(v.string()),
  toolCallId: v.optional(v.string()),
  actorName: v.string(),
  hunkIds: v.optional(ids),
  firstVersion: whole,
  at: v.number(),
  spans,
  undoneBy: v.nullable(whole),
  closed: v.boolean(),
  group: ids,
});
const state = v.object({
  textVersion: v.array(v.object({ replica: whole, seq: whole })),
  undo: v.object({
    units: v.array(unit),
    applied: idsByReplica,
    undone: idsByReplica,
    writers: v.array(v.object({ version: whole, replica: whole, name: v.string() })),
    forgetful: v.array(whole),
  }),
});

function isState(value: unknown): value is Pick<LogStart, "textVersion" | "undo"> {
  return v.is(state, value);
}
