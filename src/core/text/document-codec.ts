/**
 * A stored document: its text and version in front, so that it opens without replay, its history behind.
 *
 *   format byte, length of the rest, agents with their next seq, end, heads, text, length of the history, runs, checksum
 */

import { assert } from "../base/assert.ts";
import { err, ok, type Result } from "../base/result.ts";
import { ByteReader, ByteWriter, MalformedBytes, wordSum } from "./bytes.ts";
import { History, type StoredHistory } from "./history.ts";
import type { AgentId, TextLimits, TextRefusal } from "./types.ts";
import { readRuns, readSum, writeRuns } from "./update-codec.ts";
import { wireRuns } from "./wire-runs.ts";

const documentFormat = 0xd2;

export function encodeStored(history: History, text: string): Uint8Array {
  const runs = new ByteWriter();
  writeRuns(runs, wireRuns(history, [0, history.end]), "store");
  const writer = new ByteWriter();
  writer.byte(documentFormat);
  const agents = history.nextSeqs();
  writer.varint(agents.length);
  for (const [agent, next] of agents) {
    writer.varint(agent);
    writer.varint(next);
  }
  writer.varint(history.end);
  const { heads } = history.graph;
  writer.varint(heads.length);
  for (const lv of heads) {
    const { agent, seq } = history.idOf(lv);
    writer.varint(lv);
    writer.varint(agent);
    writer.varint(seq);
  }
  writer.text(text);
  writer.bytes(runs.take());
  return writer.seal(wordSum);
}

export function decodeStored(
  bytes: Uint8Array,
  limits: TextLimits,
): Result<{ readonly text: string; readonly history: StoredHistory }, TextRefusal> {
  if (bytes.length > limits.updateBytesMax) {
    return err({ code: "UPDATE_TOO_LARGE", actual: bytes.length, max: limits.updateBytesMax });
  }
  try {
    const end = bytes.length - 4;
    if (end < 1 || bytes[0] !== documentFormat) throw new MalformedBytes("not a document");
    if (readSum(bytes, end) !== wordSum(bytes, 0, end)) throw new MalformedBytes("the checksum is wrong");
    return readStored(new ByteReader(bytes, 1, end), limits);
  } catch (error) {
    if (!(error instanceof MalformedBytes)) throw error;
    return err({ code: "UPDATE_CORRUPT", reason: error.message });
  }
}

function readStored(
  reader: ByteReader,
  limits: TextLimits,
): Result<{ readonly text: string; readonly history: StoredHistory }, TextRefusal> {
  const nextSeqs = readList(reader, () => [readAgent(reader), reader.varint()] as const);
  const end = reader.varint(2 ** 30);
  const heads = readList(reader, () => ({ lv: reader.varint(end), agent: readAgent(reader), seq: reader.varint() }));
  const text = reader.text();
  if (text.length > limits.textUnitsMax) {
    return err({ code: "UPDATE_TOO_LARGE", actual: text.length, max: limits.textUnitsMax });
  }
  const runs = reader.bytes();
  if (reader.at !== reader.end) throw new MalformedBytes("bytes are left over");
  return ok({ text, history: { end, heads, nextSeqs, read: () => readHistory(runs, end) } });
}

function readList<Element>(reader: ByteReader, read: () => Element): readonly Element[] {
  const count = reader.varint();
  if (count > reader.end - reader.at) throw new MalformedBytes("a list is longer than what follows");
  return Array.from({ length: count }, read);
}

function readAgent(reader: ByteReader): AgentId {
  const agent = reader.varint();
  if (!isAgentId(agent)) throw new MalformedBytes("an agent is not a number above 0");
  return agent;
}

function isAgentId(value: number): value is AgentId {
  return value > 0;
}

/** The runs were valid when they were stored and the checksum has been compared, so what does not fit here is our bug. */
function readHistory(bytes: Uint8Array, end: number): History {
  const history = new History();
  const none = Number.POSITIVE_INFINITY;
  const limits = { updateBytesMax: none, operationsMax: none, textUnitsMax: none };
  const runs = readRuns(new ByteReader(bytes, 0, bytes.length), limits, "store");
  assert(runs.ok, "a stored history reads back");
  const lvOf = (agent: AgentId, seq: number): number => {
    const lv = history.lvOf(agent, seq);
    assert(lv !== undefined, "a stored history is complete");
    return lv;
  };
  for (const { agent, seq, kind, pos, length, back, text, ref, parents, paired } of runs.value) {
    const lvs = parents?.map((parent) => lvOf(parent.agent, parent.seq)) ?? [history.end - 1];
    const op = { kind, pos, length, back, text, ref: ref === undefined ? 0 : lvOf(ref.agent, ref.seq) };
    history.append(agent, seq, op, lvs, paired);
  }
  assert(history.end === end, "a stored history has its length");
  return history;
}
