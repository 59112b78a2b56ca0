/**
 * The format of a stored document. A document opens without replay, and reads its history only when needed:
 *
 *   format byte, head, CRC-32 of all before, text in UTF-8, history
 *   head: replicas with their next seq, lvs of the first unit kept and of the next, heads, number of bytes and checksum of
 *         the text, its UTF-16 units, number of bytes and checksum of the history
 *   history: settled part if history was deleted (its last unit, its text unless that is the text, authors), runs
 */

import { assert } from "../base/assert.ts";
import { err, ok, type Result } from "../base/result.ts";
import {
  ByteReader,
  ByteWriter,
  crc32,
  decodeUtf8,
  joinInSteps,
  laneSum,
  lengthOf,
  MalformedBytes,
  putSum,
  TextParts,
} from "./bytes.ts";
import { History, type StoredHistory } from "./history.ts";
import { Settled } from "./settled.ts";
import type { ReplicaId, OpSpan, TextLimits, TextRefusal } from "./types.ts";
import { readRuns, StoredRuns } from "./update-codec.ts";
import { eachWireRun } from "./wire-runs.ts";

const documentFormat = 0xd3;

/** Runs that are encoded in one step: about three milliseconds. */
const stepRuns = 20_000;

/** Encodes a history, with the text at its head, for storage. `encodeText`: see TextParts. */
export function encodeStored(history: History, text: string, encodeText?: (text: string) => Uint8Array): Uint8Array {
  const steps = encodeInSteps(history, text, encodeText);
  let step = steps.next();
  while (step.done !== true) step = steps.next();
  return step.value;
}

/**
 * Does the same in short steps, as the history is at the first one. It may grow between the steps, because what it has
 * does not change then, but nothing of it may be forgotten.
 */
export function* encodeInSteps(
  history: History,
  text: string,
  encodeText?: (text: string) => Uint8Array,
): Generator<undefined, Uint8Array, undefined> {
  const settled = new ByteWriter();
  if (history.begin > 0) writeSettled(settled, history.settledText(), text);
  const head = new ByteWriter();
  writeVersion(head, history);
  const runs = new StoredRuns(encodeText);
  for (const run of eachWireRun(history, [history.begin, history.end])) {
    runs.add(run);
    if (runs.count % stepRuns === 0) yield;
  }
  const past = [settled.written(), ...runs.end()];
  const body = new TextParts(encodeText);
  body.add(text);
  const texts = body.end();
  // The checksums follow when all is in one place.
  const textBytes = lengthOf(texts);
  head.varint(textBytes);
  const textSumAt = head.length;
  head.sum(0);
  head.varint(text.length);
  head.varint(lengthOf(past));
  const historySumAt = head.length;
  head.sum(0);
  const headEnd = head.length;
  head.sum(0);
  const stored = yield* joinInSteps([head.written(), ...texts, ...past]);
  const textAt = head.length;
  const historyAt = textAt + textBytes;
  putSum(stored, textSumAt, laneSum(stored, textAt, historyAt));
  putSum(stored, historySumAt, laneSum(stored, historyAt, stored.length));
  putSum(stored, headEnd, crc32(stored, 0, headEnd));
  return stored;
}

/** Writes the format byte, the replicas, where the history begins and ends, and its heads. */
function writeVersion(writer: ByteWriter, history: History): void {
  writer.byte(documentFormat);
  const replicas = history.nextSeqs();
  writer.varint(replicas.length);
  for (const [replica, next] of replicas) {
    writer.varint(replica);
    writer.varint(next);
  }
  writer.varint(history.begin);
  writer.varint(history.end);
  const { heads } = history.graph;
  writer.varint(heads.length);
  for (const lv of heads) {
    const { replica, seq } = history.idOf(lv);
    writer.varint(lv);
    writer.varint(replica);
    writer.varint(seq);
  }
}

/** A stored document with its text decoded and its history not yet. */
export interface StoredDocument {
  readonly text: string;
  readonly history: StoredHistory;
}

/** Decodes a stored document, including the checksum of its history. */
export function decodeStored(bytes: Uint8Array, limits: TextLimits): Result<StoredDocument, TextRefusal> {
  return guarded(() => {
    const stored = readStored(bytes, limits, (text) => decodeUtf8(text, 0, text.length));
    if (stored.ok) stored.value.check();
    return stored;
  });
}

/** Decodes a stored document without reading its history. */
export function openStored(
  bytes: Uint8Array,
  limits: TextLimits,
  decodeText: (bytes: Uint8Array) => string | undefined,
): Result<StoredDocument, TextRefusal> {
  return guarded(() => readStored(bytes, limits, decodeText));
}

function guarded<Value>(read: () => Result<Value, TextRefusal>): Result<Value, TextRefusal> {
  try {
    return read();
  } catch (error) {
    if (!(error instanceof MalformedBytes)) throw error;
    return err({ code: "UPDATE_CORRUPT", reason: error.message });
  }
}

function readStored(
  bytes: Uint8Array,
  limits: TextLimits,
  decodeText: (bytes: Uint8Array) => string | undefined,
): Result<StoredDocument & { check(): void }, TextRefusal> {
  if (bytes.length > limits.updateBytesMax) {
    return err({ code: "UPDATE_TOO_LARGE", actual: bytes.length, max: limits.updateBytesMax });
  }
  const reader = new ByteReader(bytes, 0, bytes.length);
  if (reader.byte() !== documentFormat) throw new MalformedBytes("not a document");
  const nextSeqs = readList(reader, () => [readReplica(reader), reader.varint()] as const);
  const begin = reader.varint(2 ** 30);
  const end = reader.varint(2 ** 30);
  const heads = readList(reader, () => ({
    lv: reader.varint(end),
    replica: readReplica(reader),
    seq: reader.varint(),
  }));
  const textLength = reader.varint();
  const textSum = reader.sum();
  const units = reader.varint();
  const historyLength = reader.varint();
  const historySum = reader.sum();
  const headEnd = reader.at;
  if (reader.sum() !== crc32(bytes, 0, headEnd)) throw new MalformedBytes("the checksum is wrong");
  const textAt = reader.at;
  const historyAt = textAt + textLength;
  if (historyAt + historyLength !== bytes.length || begin > end) throw new MalformedBytes("the length is wrong");
  if (laneSum(bytes, textAt, historyAt) !== textSum) throw new MalformedBytes("the checksum of the text is wrong");
  if (units > limits.textUnitsMax) {
    return err({ code: "UPDATE_TOO_LARGE", actual: units, max: limits.textUnitsMax });
  }
  const text = decodeText(bytes.subarray(textAt, historyAt));
  if (text?.length !== units) throw new MalformedBytes("the text is not what was stored");
  const check = (): void => {
    const sum = laneSum(bytes, historyAt, bytes.length);
    if (sum !== historySum) throw new MalformedBytes("the checksum of the history is wrong");
  };
  const read = (): History => {
    check();
    return readHistory(new ByteReader(bytes, historyAt, bytes.length), { begin, end, text });
  };
  return ok({ text, history: { bytes, begin, end, heads, nextSeqs, read }, check });
}

function readList<Element>(reader: ByteReader, read: () => Element): readonly Element[] {
  const count = reader.varint();
  if (count > reader.end - reader.at) throw new MalformedBytes("a list is longer than what follows");
  const list: Element[] = [];
  for (let i = 0; i < count; i += 1) list.push(read());
  return list;
}

function readReplica(reader: ByteReader): ReplicaId {
  const replica = reader.varint();
  if (!isReplicaId(replica)) throw new MalformedBytes("a replica is not a number above 0");
  return replica;
}

function isReplicaId(value: number): value is ReplicaId {
  return value > 0;
}

function writeSettled(writer: ByteWriter, { head, text, authors }: Settled, current: string): void {
  writer.varint(head.replica);
  writer.varint(head.seq);
  writer.byte(text === current ? 1 : 0);
  if (text !== current) writer.text(text);
  writer.varint(authors.length);
  let expected = 0;
  for (const { replica, seq, length } of authors) {
    writer.varint(replica);
    writer.signed(seq - expected);
    writer.varint(length);
    expected = seq + length;
  }
}

function readSettled(reader: ByteReader, end: number, current: string): Settled {
  const head = { replica: readReplica(reader), seq: reader.varint() };
  const text = reader.byte() === 1 ? current : reader.text();
  let expected = 0;
  const authors = readList(reader, (): OpSpan => {
    const replica = readReplica(reader);
    const seq = expected + reader.signed();
    const length = reader.varint();
    expected = seq + length;
    return { replica, seq, length };
  });
  return new Settled({ end, head, text, authors });
}

/** The runs were valid when stored and the checksum matches, so an invalid run here is a defect of ours. */
function readHistory(
  reader: ByteReader,
  { begin, end, text }: { readonly begin: number; readonly end: number; readonly text: string },
): History {
  const history = new History();
  const none = Number.POSITIVE_INFINITY;
  const limits = { updateBytesMax: none, operationsMax: none, textUnitsMax: none };
  if (begin > 0) history.beginAfter(readSettled(reader, begin, text));
  const runs = readRuns(reader, limits, "store");
  assert(runs.ok, "a stored history reads back");
  const lvOf = (replica: ReplicaId, seq: number): number => {
    const lv = history.lvOf(replica, seq);
    assert(lv !== undefined, "a stored history is complete");
    return lv;
  };
  for (const { replica, seq, kind, pos, length, back, text: inserted, ref, parents, paired } of runs.value) {
    const lvs = parents?.map((parent) => lvOf(parent.replica, parent.seq)) ?? [history.end - 1];
    const op = { kind, pos, length, back, text: inserted, ref: ref === undefined ? 0 : lvOf(ref.replica, ref.seq) };
    history.append(replica, seq, op, lvs, paired);
  }
  assert(history.end === end, "a stored history has its length");
  return history;
}
