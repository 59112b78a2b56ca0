/** Recorded keystrokes of real writing, read from a folder outside the project. */

import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { gunzipSync } from "node:zlib";

/** A place in Unicode code points, the number of code points to delete there, and the text to insert. */
type RecordedPatch = readonly [position: number, deleted: number, inserted: string];

interface SequentialRecording {
  readonly startContent: string;
  readonly endContent: string;
  readonly txns: readonly { readonly patches: readonly RecordedPatch[] }[];
}

interface ConcurrentRecording {
  readonly endContent: string;
  readonly numAgents: number;
  readonly txns: readonly {
    readonly parents: readonly number[];
    readonly agent: number;
    readonly patches: readonly RecordedPatch[];
  }[];
}

export type SequentialTrace =
  | "automerge-paper"
  | "sveltecomponent"
  | "rustcode"
  | "seph-blog1"
  | "json-crdt-blog-post"
  | "json-crdt-patch";

export type ConcurrentTrace = "friendsforever" | "clownschool" | "node_nodecc" | "git-makefile";

/** Whether the folder has a trace; some are public, but not part of the test data. */
export function hasTrace(folder: string, name: SequentialTrace | `${ConcurrentTrace}.concurrent`): boolean {
  return existsSync(join(folder, "traces", `${name}.json.gz`));
}

/** Replaces [at, at + removed) by `insert`; UTF-16 units of the text after the previous patch. */
export interface TracePatch {
  readonly at: number;
  readonly removed: number;
  readonly insert: string;
}

export interface SequentialTxns {
  readonly start: string;
  readonly end: string;
  readonly txns: readonly (readonly TracePatch[])[];
}

/** Reads a trace whose patches follow one another, with offsets converted to UTF-16 units. */
export function readSequential(folder: string, name: SequentialTrace): SequentialTxns {
  const recording = read<SequentialRecording>(folder, `${name}.json.gz`);
  const { startContent, endContent } = recording;
  const texts = [
    startContent,
    endContent,
    ...recording.txns.flatMap(({ patches }) => patches.map(([, , text]) => text)),
  ];
  // While no character takes two units, both counts agree.
  if (texts.some((text) => surrogates.test(text))) throw new Error(`${name} needs its offsets converted`);
  return { start: startContent, end: endContent, txns: recording.txns.map(({ patches }) => patches.map(patch)) };
}

/** Reads a trace of several writers; a transaction's offsets refer to the text after merging its parents. */
export function readConcurrent(
  folder: string,
  name: ConcurrentTrace = "friendsforever",
): {
  readonly end: string;
  readonly agents: number;
  readonly txns: readonly {
    readonly parents: readonly number[];
    readonly agent: number;
    readonly patches: readonly TracePatch[];
  }[];
} {
  const recording = read<ConcurrentRecording>(folder, `${name}.concurrent.json.gz`);
  const { endContent, numAgents } = recording;
  if (recording.txns.some(({ patches }) => patches.some(([, , text]) => surrogates.test(text)))) {
    throw new Error(`${name} needs its offsets converted`);
  }
  const txns = recording.txns.map(({ parents, agent, patches }) => ({ parents, agent, patches: patches.map(patch) }));
  return { end: endContent, agents: numAgents, txns };
}

const surrogates = /[\ud800-\udfff]/;

function patch([at, removed, insert]: RecordedPatch): TracePatch {
  return { at, removed, insert };
}

function read<Recording>(folder: string, file: string): Recording {
  return JSON.parse(gunzipSync(readFileSync(join(folder, "traces", file))).toString()) as Recording;
}
