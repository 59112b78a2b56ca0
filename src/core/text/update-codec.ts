/**
 * The format of an update: runs of operations with their authors and parents, on the wire and in the store.
 *
 *   format byte, length of the body, body, CRC-32 of all before
 *   body: replicas, number of runs, inserted text (UTF-8, of all runs, in their order), runs
 *   run: head byte, [replica and seq], [parents], [length], position or the first unit it refers to
 *
 * No number allocates memory that the bytes do not justify: a run takes at least two bytes, inserted text its own length.
 */

import { err, ok, type Result } from "../base/result.ts";
import {
  ByteReader,
  ByteWriter,
  crc32,
  lengthOf,
  MalformedBytes,
  putSum,
  putText,
  putVarint,
  TextParts,
  utf8Length,
  varintSize,
} from "./bytes.ts";
import { cancellation, deletion, insertion, type OpKind, redeletion } from "./history.ts";
import { isLowSurrogate } from "./surrogates.ts";
import type { ReplicaId, OpId, TextChange, TextLimits, TextRefusal } from "./types.ts";

/** A run in transit: replica and seq name the units it refers to. */
export interface WireRun {
  readonly replica: ReplicaId;
  readonly seq: number;
  readonly kind: OpKind;
  readonly pos: number;
  readonly length: number;
  readonly back: boolean;
  readonly text: string | undefined;
  /** First deletion unit that a cancellation or redeletion refers to. */
  readonly ref: OpId | undefined;
  /** Parents of the first unit; undefined when it builds on the last unit of the previous run in the update. */
  readonly parents: readonly OpId[] | undefined;
  /** As in the log; written only to the store, since a replica computes it. */
  readonly paired: boolean;
}

/** The source or destination of runs: another replica, or our own store. */
type Carrier = "wire" | "store";

const updateFormat = 0xd1;

const kindBits = 3;
const backBit = 4;
const parentsShift = 3;
const parentsBits = 3;
const parentsPrevious = 0;
const parentsOwn = 1;
const parentsListed = 2;
const namedBit = 32;
const singleBit = 64;
const pairedBit = 128;

/** Encodes runs in order; the receiver knows the parents and references of each run, or an earlier run has them. */
export function encodeUpdate(runs: readonly WireRun[]): Uint8Array {
  scratch.beginBody();
  writeRuns(scratch, runs);
  return scratch.frame(updateFormat, crc32);
}

/**
 * Encodes one change that builds on its replica's own last unit, as typing does: the same bytes as `encodeUpdate`, faster,
 * because the size is known in advance.
 */
export function encodeTyped(replica: ReplicaId, seq: number, { from: pos, to, insert }: TextChange): Uint8Array {
  const removed = to - pos;
  const inserted = insert.length;
  if (removed + inserted === 1 && (removed === 1 || insert.charCodeAt(0) < 0x80)) {
    return encodeLetter({ replica, seq }, pos, insert);
  }
  const both = removed > 0 && inserted > 0;
  const head = removed > 0 ? deletion : insertion;
  const length = removed > 0 ? removed : inserted;
  const textBytes = utf8Length(insert);
  const bodyLength =
    varintSize(replica) +
    (varintSize(textBytes) + textBytes) +
    (varintSize(seq) + varintSize(pos * 2) + (length === 1 ? 0 : varintSize(length))) +
    (both ? (inserted === 1 ? 2 : 2 + varintSize(inserted)) : 0) +
    4;
  const sumAt = 1 + varintSize(bodyLength) + bodyLength;
  const update = new Uint8Array(sumAt + 4);
  update[0] = updateFormat;
  let at = putVarint(update, 1, bodyLength);
  update[at] = 1;
  at = putVarint(update, at + 1, replica);
  update[at] = both ? 2 : 1;
  at = putVarint(update, at + 1, textBytes);
  at = putText(update, at, insert);
  update[at] = runHead(head | (parentsOwn << parentsShift) | namedBit, length);
  at = putVarint(update, at + 2, seq);
  if (length !== 1) at = putVarint(update, at, length);
  at = putVarint(update, at, pos * 2);
  if (both) {
    update[at] = runHead(insertion | (parentsPrevious << parentsShift), inserted);
    at += 1;
    if (inserted !== 1) at = putVarint(update, at, inserted);
  }
  putSum(update, sumAt, crc32(update, 0, sumAt));
  return update;
}

/** Encodes one unit, the most common edit: the insertion of an ASCII character or the deletion of a unit. */
function encodeLetter({ replica, seq }: OpId, pos: number, letter: string): Uint8Array {
  const size = 11 + varintSize(replica) + letter.length + varintSize(seq) + varintSize(pos * 2);
  const update = new Uint8Array(size);
  update[0] = updateFormat;
  update[1] = size - 6;
  update[2] = 1;
  let at = putVarint(update, 3, replica);
  update[at] = 1;
  update[at + 1] = letter.length;
  at += 2;
  let kind: OpKind = deletion;
  if (letter.length === 1) {
    kind = insertion;
    update[at] = letter.charCodeAt(0);
    at += 1;
  }
  update[at] = kind | (parentsOwn << parentsShift) | namedBit | singleBit;
  at = putVarint(update, at + 2, seq);
  at = putVarint(update, at, pos * 2);
  putSum(update, at, crc32(update, 0, at));
  return update;
}

function runHead(bits: number, length: number): number {
  return length === 1 ? bits | singleBit : bits;
}

const scratch = new ByteWriter();

/** Decodes a whole update and checks it against the limits, without a document. */
export function decodeUpdate(update: Uint8Array, limits: TextLimits): Result<readonly WireRun[], TextRefusal> {
  if (update.length > limits.updateBytesMax) {
    return err({ code: "UPDATE_TOO_LARGE", actual: update.length, max: limits.updateBytesMax });
  }
  try {
    const reader = new ByteReader(update, 0, update.length);
    if (reader.byte() !== updateFormat) throw new MalformedBytes("not an update");
    const length = reader.varint();
    if (reader.at + length + 4 !== update.length) throw new MalformedBytes("the length is wrong");
    if (readSum(update, update.length - 4) !== crc32(update, 0, update.length - 4)) {
      throw new MalformedBytes("the checksum is wrong");
    }
    return readRuns(new ByteReader(update, reader.at, update.length - 4), limits, "wire");
  } catch (error) {
    if (!(error instanceof MalformedBytes)) throw error;
    return err({ code: "UPDATE_CORRUPT", reason: error.message });
  }
}

function readSum(buffer: Uint8Array, at: number): number {
  let sum = 0;
  for (let i = 3; i >= 0; i -= 1) sum = sum * 256 + (buffer[at + i] ?? 0);
  return sum;
}

/** Writes runs without a frame, in the form for another replica. */
function writeRuns(writer: ByteWriter, runs: readonly WireRun[]): void {
  const replicas = new ReplicaTable();
  for (const run of runs) {
    replicas.indexOf(run.replica);
    if (run.parents !== undefined) for (const parent of run.parents) replicas.indexOf(parent.replica);
    if (run.ref !== undefined) replicas.indexOf(run.ref.replica);
  }
  writeReplicas(writer, replicas);
  writer.varint(runs.length);
  writer.text(insertedBy(runs));
  let previous: WireRun | undefined;
  let expected = 0;
  for (const run of runs) {
    expected = writeRun(writer, replicas, "wire", { run, previous, expected });
    previous = run;
  }
}

/** Encodes runs in the form for the store, one by one: all runs of a long history at once would take many times its bytes. */
export class StoredRuns {
  readonly #replicas = new ReplicaTable();
  readonly #written = new ByteWriter();
  readonly #inserted: TextParts;
  #count = 0;
  #previous: WireRun | undefined;
  #expected = 0;

  constructor(encodeText?: (text: string) => Uint8Array) {
    this.#inserted = new TextParts(encodeText);
  }

  get count(): number {
    return this.#count;
  }

  add(run: WireRun): void {
    const at = { run, previous: this.#previous, expected: this.#expected };
    this.#expected = writeRun(this.#written, this.#replicas, "store", at);
    // No run begins inside a surrogate pair: a decoder refuses it.
    if (run.kind === insertion && run.text !== undefined) this.#inserted.add(run.text);
    this.#count += 1;
    this.#previous = run;
  }

  /** Returns the parts of the encoding in their order. */
  end(): readonly Uint8Array[] {
    const head = new ByteWriter();
    writeReplicas(head, this.#replicas);
    head.varint(this.#count);
    const texts = this.#inserted.end();
    head.varint(lengthOf(texts));
    return [head.written(), ...texts, this.#written.written()];
  }
}

function writeReplicas(writer: ByteWriter, { list }: ReplicaTable): void {
  writer.varint(list.length);
  for (const replica of list) writer.varint(replica);
}

interface RunAt {
  readonly run: WireRun;
  readonly previous: WireRun | undefined;
  /** End of the previous run: an edit often continues there. */
  readonly expected: number;
}

/** Returns the expected position of the next run. */
function writeRun(
  writer: ByteWriter,
  replicas: ReplicaTable,
  carrier: Carrier,
  { run, previous, expected }: RunAt,
): number {
  const named =
    previous === undefined || previous.replica !== run.replica || previous.seq + previous.length !== run.seq;
  const mode = run.parents === undefined ? parentsPrevious : isOwn(run, run.parents) ? parentsOwn : parentsListed;
  writer.byte(
    run.kind |
      (run.back ? backBit : 0) |
      (mode << parentsShift) |
      (named ? namedBit : 0) |
      (run.length === 1 ? singleBit : 0) |
      (run.paired && carrier === "store" ? pairedBit : 0),
  );
  if (named) {
    writer.varint(replicas.indexOf(run.replica));
    writer.varint(run.seq);
  }
  if (mode === parentsListed && run.parents !== undefined) {
    writer.varint(run.parents.length);
    for (const parent of run.parents) {
      writer.varint(replicas.indexOf(parent.replica));
      writer.varint(parent.seq);
    }
  }
  if (run.length !== 1) writer.varint(run.length);
  if (run.ref !== undefined) {
    writer.varint(replicas.indexOf(run.ref.replica));
    writer.varint(run.ref.seq);
    return expected;
  }
  writer.signed(run.pos - expected);
  return after(run);
}

/** Replicas in the order of their first use. */
class ReplicaTable {
  readonly list: ReplicaId[] = [];
  private indexByReplica: Map<ReplicaId, number> | undefined = undefined;

  indexOf(replica: ReplicaId): number {
    const index =
      this.indexByReplica === undefined ? this.list.indexOf(replica) : (this.indexByReplica.get(replica) ?? -1);
    if (index !== -1) return index;
    this.list.push(replica);
    if (this.indexByReplica !== undefined) this.indexByReplica.set(replica, this.list.length - 1);
    else if (this.list.length > 8) this.indexByReplica = new Map(this.list.map((each, at) => [each, at]));
    return this.list.length - 1;
  }
}

function insertedBy(runs: readonly WireRun[]): string {
  const [only] = runs;
  if (runs.length === 1 && only !== undefined) return only.kind === insertion ? (only.text ?? "") : "";
  return runs.map((run) => (run.kind === insertion ? run.text : "")).join("");
}

function isOwn(run: WireRun, parents: readonly OpId[]): boolean {
  const [parent] = parents;
  return parents.length === 1 && parent !== undefined && parent.replica === run.replica && parent.seq === run.seq - 1;
}

/** Reads the output of `writeRuns` or `writeStoredRuns` to the reader's end; throws `MalformedBytes`. */
export function readRuns(
  reader: ByteReader,
  limits: TextLimits,
  carrier: Carrier,
): Result<readonly WireRun[], TextRefusal> {
  const replicas: ReplicaId[] = [];
  const replicaCount = reader.varint();
  if (replicaCount > reader.end - reader.at) throw new MalformedBytes("more replicas than bytes");
  for (let i = 0; i < replicaCount; i += 1) {
    const replica = reader.varint();
    if (!isReplicaId(replica)) throw new MalformedBytes("a replica is not a number above 0");
    replicas.push(replica);
  }
  const readReplica = (): ReplicaId => {
    const replica = replicas[reader.varint()];
    if (replica === undefined) throw new MalformedBytes("a replica is not listed");
    return replica;
  };
  const count = reader.varint();
  if (count > limits.operationsMax) return err({ code: "UPDATE_TOO_LARGE", actual: count, max: limits.operationsMax });
  const inserted = reader.text();
  if (inserted.length > limits.textUnitsMax) {
    return err({ code: "UPDATE_TOO_LARGE", actual: inserted.length, max: limits.textUnitsMax });
  }
  if (count * 2 > reader.end - reader.at) throw new MalformedBytes("more runs than bytes");
  const runs: WireRun[] = [];
  let previous: WireRun | undefined;
  let expected = 0;
  let used = 0;
  for (let i = 0; i < count; i += 1) {
    const head = reader.byte();
    const paired = (head & pairedBit) !== 0;
    if (paired && carrier === "wire") throw new MalformedBytes("a run has an unknown head");
    const kind = kindOf(head & kindBits);
    const back = (head & backBit) !== 0;
    if (back && kind !== deletion) throw new MalformedBytes("only a deletion goes backward");
    const mode = (head >> parentsShift) & parentsBits;
    const named = (head & namedBit) !== 0;
    if (previous === undefined && (!named || mode === parentsPrevious))
      throw new MalformedBytes("the first run continues none");
    const replica = named || previous === undefined ? readReplica() : previous.replica;
    const seq = named || previous === undefined ? reader.varint(seqMax) : previous.seq + previous.length;
    if (limits.replica !== undefined && replica !== limits.replica) {
      return err({ code: "UPDATE_FOREIGN_REPLICA", expected: limits.replica, actual: replica });
    }
    const parents = readParents(reader, mode, { replica, seq }, readReplica);
    const length = (head & singleBit) !== 0 ? 1 : reader.varint(seqMax);
    if (length === 0 || seq + length > seqMax) throw new MalformedBytes("a run has an impossible length");
    let pos = 0;
    let ref: OpId | undefined;
    let text: string | undefined;
    if (kind === insertion || kind === deletion) {
      pos = expected + reader.signed();
      if (pos < 0 || (back && pos + 1 < length)) throw new MalformedBytes("a position is negative");
      if (kind === insertion) {
        text = inserted.slice(used, used + length);
        used += length;
        if (used > inserted.length) throw new MalformedBytes("an insertion is longer than the text");
        if (isLowSurrogate(text.charCodeAt(0))) return err({ code: "TEXT_MALFORMED", at: pos });
      }
    } else ref = { replica: readReplica(), seq: reader.varint(seqMax - length) };
    const run: WireRun = { replica, seq, kind, pos, length, back, text, ref, parents, paired };
    if (ref === undefined) expected = after(run);
    runs.push(run);
    previous = run;
  }
  if (used !== inserted.length) throw new MalformedBytes("text is left over");
  if (reader.at !== reader.end) throw new MalformedBytes("bytes are left over");
  return ok(runs);
}

const seqMax = 2 ** 30;

function readParents(
  reader: ByteReader,
  mode: number,
  first: OpId,
  readReplica: () => ReplicaId,
): readonly OpId[] | undefined {
  switch (mode) {
    case parentsPrevious:
      return undefined;
    case parentsOwn:
      if (first.seq === 0) throw new MalformedBytes("nothing comes before a replica's first unit");
      return [{ replica: first.replica, seq: first.seq - 1 }];
    case parentsListed: {
      const count = reader.varint();
      if (count * 2 > reader.end - reader.at) throw new MalformedBytes("more parents than bytes");
      const parents: OpId[] = [];
      for (let i = 0; i < count; i += 1) parents.push({ replica: readReplica(), seq: reader.varint(seqMax) });
      return parents;
    }
    default:
      throw new MalformedBytes("a run has an unknown head");
  }
}

function kindOf(value: number): OpKind {
  switch (value) {
    case 0:
      return insertion;
    case 1:
      return deletion;
    case 2:
      return cancellation;
    default:
      return redeletion;
  }
}

function isReplicaId(value: number): value is ReplicaId {
  return value > 0;
}

/** The most frequent position of an editor's next run. */
function after(run: WireRun): number {
  if (run.kind === insertion) return run.pos + run.length;
  return run.back ? run.pos - run.length : run.pos;
}
