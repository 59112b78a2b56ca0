import { readFileSync } from "node:fs";
import path from "node:path";
import { gunzipSync } from "node:zlib";
import * as v from "valibot";
import { testDataFolder } from "../test-data.ts";

/** The folder of the recordings; null if they are switched off. */
export const recordingsFolder: string | null = within(testDataFolder());

function within(data: string | null): string | null {
  return data === null ? null : path.join(data, "providers");
}

const streamRow = v.object({ id: v.string(), api: v.string(), host: v.string(), body: v.string() });
const replyRow = v.object({ api: v.string(), host: v.string(), body: v.string() });
const errorRow = v.object({
  api: v.string(),
  host: v.string(),
  status: v.number(),
  headers: v.record(v.string(), v.string()),
  body: v.string(),
});
const requestRow = v.object({ api: v.string(), host: v.string(), url: v.string(), req: v.unknown() });

export type RecordedStream = v.InferOutput<typeof streamRow>;
export type RecordedReply = v.InferOutput<typeof replyRow>;
export type RecordedError = v.InferOutput<typeof errorRow>;
export type RecordedRequest = v.InferOutput<typeof requestRow>;

export const recordedStreams = (): readonly RecordedStream[] => rows("streams.jsonl.gz", streamRow);
export const recordedReplies = (): readonly RecordedReply[] => rows("nonstream.jsonl.gz", replyRow);
export const recordedErrors = (): readonly RecordedError[] => rows("errors.jsonl", errorRow);
export const recordedRequests = (): readonly RecordedRequest[] => rows("requests.jsonl.gz", requestRow);

function rows<Schema extends v.GenericSchema>(name: string, schema: Schema): readonly v.InferOutput<Schema>[] {
  if (recordingsFolder === null) return [];
  const file = readFileSync(path.join(recordingsFolder, name));
  const text = (name.endsWith(".gz") ? gunzipSync(file) : file).toString("utf8");
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => v.parse(schema, JSON.parse(line)));
}
