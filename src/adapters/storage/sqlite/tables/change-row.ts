import { assert, unreachable } from "../../../../core/base/assert.ts";
import { isJsonObject, type JsonObject } from "../../../../core/base/json.ts";
import { blockStatuses, editPolicies, type BlockChange, type BlockChangeBody } from "../../../../core/block/types.ts";
import { turnOfChange } from "../../shared/turn-of-change.ts";
import { encodeBytes, encodeInteger, encodeLastingJson } from "../../row/encode-json.ts";
import {
  isActor,
  isBlockFlags,
  isReplica,
  isBlockHeader,
  isHunkIds,
  isKeptHunks,
  isOpSpans,
  isTexts,
  isTurnId,
  isUndoUnit,
} from "../../row/json-guards.ts";
import { RepeatedJson } from "../../row/repeated-json.ts";
import { RowReader } from "../../row/row-reader.ts";
import type { Row } from "../../row/sql.ts";

/** A document's changes are of a few actors, each of whom is repeated in thousands of rows. */
const actors = new RepeatedJson(isActor);

/** A mutation of a block as a row. */
export type ChangeRow = readonly [
  blockId: string,
  version: number,
  actor: string,
  at: number,
  requestId: string | null,
  body: string,
  bytes: Uint8Array | null,
  turnId: string | null,
];

export function encodeChange(change: BlockChange): ChangeRow {
  const { body, bytes } = encodeBody(change.body);
  return [
    change.blockId,
    encodeInteger(change.version, "version"),
    encodeLastingJson(change.actor, isActor, "actor"),
    encodeInteger(change.at, "at"),
    change.requestId ?? null,
    JSON.stringify(body),
    bytes,
    turnOfChange(change),
  ];
}

export function decodeChange(row: Row): BlockChange {
  const read = new RowReader("changes", row);
  const start = { blockId: read.text<BlockChange["blockId"]>(), documentId: read.text<BlockChange["documentId"]>() };
  const middle = { version: read.integer(), actor: read.repeatedJson(actors, "an actor"), at: read.integer() };
  const requestId = read.textOrNull<NonNullable<BlockChange["requestId"]>>();
  const body = decodeBody(read);
  return requestId === null ? { ...start, ...middle, body } : { ...start, ...middle, requestId, body };
}

/** Encodes the body as JSON, with its update beside it as bytes. */
function encodeBody(body: BlockChangeBody): { readonly body: object; readonly bytes: Uint8Array | null } {
  switch (body.type) {
    case "created": {
      const { update, ...stored } = body;
      assert(isBlockHeader(body.header) && isOpSpans(body.spans), "a created block's header and spans are well formed");
      return { body: stored, bytes: encodeBytes(update) };
    }
    case "text": {
      const { update, ...stored } = body;
      assert(isOpSpans(body.spans) && isUndoUnit(body.unit), "the spans and unit of a change are well formed");
      return { body: stored, bytes: encodeBytes(update) };
    }
    case "review":
      assert(isUndoUnit(body.unit) && isTexts(body.hunkIds), "the unit and hunks of a review are well formed");
      return { body, bytes: null };
    case "status":
    case "policy":
    case "metadata":
    case "flags":
    case "deleted":
    case "restored":
      return { body, bytes: null };
    default:
      return unreachable(body);
  }
}

function decodeBody(read: RowReader): BlockChangeBody {
  const body = read.jsonObject();
  const type: unknown = body["type"];
  switch (type) {
    case "created": {
      const { header, spans } = body;
      assert(isBlockHeader(header) && isOpSpans(spans), "a created block has a header and spans");
      return { type: "created", header, update: read.bytes(), spans };
    }
    case "text":
      return decodeTextBody(body, read.bytes());
    case "review":
      return decodeReview(body);
    case "status": {
      const status = blockStatuses.find((known) => known === body["status"]);
      assert(status !== undefined, "a change of status has a status");
      return { type: "status", status };
    }
    case "policy": {
      const policy = editPolicies.find((known) => known === body["policy"]);
      assert(policy !== undefined, "a change of policy has a policy");
      return { type: "policy", policy };
    }
    case "metadata": {
      const { metadata, previous } = body;
      assert(isJsonObject(metadata), "a change of metadata has metadata");
      assert(previous === undefined || isJsonObject(previous), "the metadata before is metadata");
      return { type: "metadata", metadata, ...(previous === undefined ? {} : { previous }) };
    }
    case "flags": {
      const { collapsed, excluded, previous } = body;
      assert(typeof collapsed === "boolean" && typeof excluded === "boolean", "a change of flags has both");
      assert(previous === undefined || isBlockFlags(previous), "the flags before are flags");
      return { type: "flags", collapsed, excluded, ...(previous === undefined ? {} : { previous }) };
    }
    case "deleted":
      return { type: "deleted" };
    case "restored": {
      const { undoes } = body;
      assert(undoes === undefined || isTurnId(undoes), "a restored block names the turn whose undo restored it");
      return { type: "restored", ...(undoes === undefined ? {} : { undoes }) };
    }
    default:
      assert(false, "a change is of a known type");
  }
}

function decodeTextBody(body: JsonObject, update: Uint8Array): BlockChangeBody {
  const { spans, unit, undoes, redoes, appended, starts, kept } = body;
  assert(isOpSpans(spans) && isUndoUnit(unit), "a change of text has spans and a unit");
  assert(undoes === undefined || isTexts(undoes), "undone units are texts");
  assert(redoes === undefined || isTexts(redoes), "redone units are texts");
  assert(kept === undefined || isKeptHunks(kept), "kept hunks have their author");
  assert(appended === undefined || typeof appended === "string", "appended text is text");
  assert(starts === undefined || starts === true, "a write starts its block, or does not");
  return {
    type: "text",
    update,
    spans,
    unit,
    ...(undoes === undefined ? {} : { undoes }),
    ...(redoes === undefined ? {} : { redoes }),
    ...(appended === undefined ? {} : { appended }),
    ...(starts === undefined ? {} : { starts }),
    ...(kept === undefined ? {} : { kept }),
  };
}

function decodeReview({ unit, hunkIds, reviewer, undoes, redoes }: JsonObject): BlockChangeBody {
  assert(isUndoUnit(unit) && isHunkIds(hunkIds) && isReplica(reviewer), "a review has a unit, hunks and a reviewer");
  assert(undoes === undefined || isTexts(undoes), "undone units are texts");
  assert(redoes === undefined || isTexts(redoes), "redone units are texts");
  return {
    type: "review",
    unit,
    hunkIds,
    reviewer,
    ...(undoes === undefined ? {} : { undoes }),
    ...(redoes === undefined ? {} : { redoes }),
  };
}
