import { assert, must } from "../../../core/base/assert.ts";
import type { NonEmptyArray } from "../../../core/base/non-empty.ts";
import { editsOf, type HistoryEntry } from "../../../core/block/history.ts";
import type { BlockChange } from "../../../core/block/types.ts";
import type { Store } from "../../../core/port/store.ts";
import type { TextChange, TextVersion } from "../../../core/text/types.ts";
import { readLogStart, textVersions } from "../record/log-start.ts";
import type { OpenBlock } from "./open-block.ts";

export interface HistoryPage {
  /** Only edits whose last change is before this version. */
  readonly beforeVersion?: number | undefined;
  readonly entriesMax: number;
}

export interface BlockHistory {
  /** Newest first. */
  readonly entries: readonly HistoryEntry[];
  readonly truncated: boolean;
}

/** Reads a page of a block's history from the part of its log that is kept. */
export async function readHistory(store: Store, block: OpenBlock, page: HistoryPage): Promise<BlockHistory> {
  const from = await readLogStart(store, block.id);
  const log = await store.changes({ blockId: block.id, afterVersion: from.beforeVersion - 1 });
  const { beforeVersion = Number.POSITIVE_INFINITY, entriesMax } = page;
  const edits = editsOf(log.filter((change) => change.version < beforeVersion));
  const entries = edits.slice(-entriesMax).toReversed();
  let replayed: ReadonlyMap<number, TextVersion> | null = null;
  const versionAt = (version: number): TextVersion => {
    const known = block.textVersionAt(version);
    if (known !== undefined) return known;
    replayed ??= textVersions(from, log);
    return must(replayed.get(version), `version ${version} of ${block.id} is in its log`);
  };
  return {
    entries: entries.map((edit) => entryOf(block, edit, versionAt)),
    truncated: edits.length > entriesMax,
  };
}

function entryOf(
  block: OpenBlock,
  edit: NonEmptyArray<BlockChange>,
  versionAt: (version: number) => TextVersion,
): HistoryEntry {
  const [first] = edit;
  const { version } = edit.at(-1) ?? first;
  const { actor, body } = first;
  const unitCall = body.type === "text" ? body.unit.toolCallId : undefined;
  return {
    firstVersion: first.version,
    version,
    at: first.at,
    actor,
    toolCallId: unitCall ?? (actor.type === "model" ? actor.toolCallId : undefined),
    body,
    delta: body.type === "text" ? difference(block, versionAt(first.version - 1), versionAt(version)) : [],
  };
}

function difference(block: OpenBlock, from: TextVersion, to: TextVersion): readonly TextChange[] {
  const changes = block.document.diff(from, to);
  assert(changes.ok, `the stored versions of ${block.id} are in its text`);
  return changes.value;
}
