import * as v from "valibot";
import type { Actor } from "../base/actor.ts";
import { decodeBase64 } from "../base/base64.ts";
import { refusal, type Refusal } from "../base/errors.ts";
import { sha256HexOfBytes } from "../base/hash.ts";
import type { JsonObject } from "../base/json.ts";
import { err, ok, type Result } from "../base/result.ts";
import { isBoundedJsonObject } from "../message/json-bounds.ts";
import { readMessage } from "../message/read.ts";
import { arrangeAll } from "./arrange.ts";
import { exportFormat, exportVersion, type ForestExport, type PortableBlob, type PortableNode } from "./portable.ts";

/**
 * Reads the text that `exportJson` wrote, even after manual changes; all or nothing. Refuses with EXPORT_INVALID;
 * `details.at` is the path of the field, as in `nodes.3.message.content.0.text`.
 */
export function readExport(text: string): Result<ForestExport, Refusal> {
  const parsed = parseJson(text);
  if (parsed === undefined) return invalid("", "The file is not JSON.");
  const head = v.safeParse(headSchema, parsed);
  if (!head.success) return invalid("format", `The file is not an exported conversation ("${exportFormat}").`);
  if (head.output.version !== exportVersion) {
    return invalid(
      "version",
      `The file has version ${head.output.version}; this release reads version ${exportVersion}.`,
    );
  }
  const read = v.safeParse(exportSchema, parsed, { abortEarly: true });
  if (!read.success) {
    const [issue] = read.issues;
    return invalid(v.getDotPath(issue) ?? "", issue.message);
  }
  const { root, nodes: given, bookmarks, blobs } = read.output;
  const nodes: PortableNode[] = [];
  for (const [index, node] of given.entries()) {
    const message = readMessage(node.message);
    if (!message.ok) {
      const { at, problem } = message.error.details ?? {};
      return invalid(`nodes.${index}.message.${String(at)}`, String(problem));
    }
    nodes.push({ ...node, message: message.value });
  }
  const arranged = arrangeAll(nodes);
  if (!arranged.ok) {
    const { id, refusal: why } = arranged.error;
    const at = `nodes.${nodes.findLastIndex((node) => node.id === id)}`;
    return invalid(at, why.message, { node_id: id, code: why.code });
  }
  const ids = new Set(nodes.map((node) => node.id));
  const lost = bookmarks.findIndex(({ nodeId }) => nodeId !== null && !ids.has(nodeId));
  if (lost !== -1) return invalid(`bookmarks.${lost}.nodeId`, "The file has no node with this id.");
  const torn = blobs?.findIndex((blob) => !isWhole(blob)) ?? -1;
  if (torn !== -1) return invalid(`blobs.${torn}`, "The bytes do not match the SHA-256 in the id.");
  const whole = { format: exportFormat, version: exportVersion, root, nodes: arranged.value, bookmarks } as const;
  return ok(blobs === undefined ? whole : { ...whole, blobs });
}

function isWhole({ id, data }: PortableBlob): boolean {
  const bytes = decodeBase64(data);
  return bytes !== undefined && sha256HexOfBytes(bytes) === id;
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

function invalid(at: string, problem: string, facts: JsonObject = {}): Result<never, Refusal> {
  return err(refusal("EXPORT_INVALID", { at, problem, ...facts }));
}

const timeMs = v.pipe(v.number(), v.safeInteger());
const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
const id = v.pipe(v.string(), v.nonEmpty("An id is empty."));
const jsonObject = v.custom<JsonObject>(isBoundedJsonObject, "Expected a JSON object that is not nested too deep.");

const actorSchema = v.variant("type", [
  v.object({ type: v.literal("person"), id, name: v.string() }),
  v.object({ type: v.literal("system"), id, name: v.string() }),
  v.object({
    type: v.literal("model"),
    id,
    name: v.string(),
    model: v.string(),
    runId: id,
    turnId: id,
    toolCallId: v.exactOptional(id),
  }),
]);
// The ids in an actor belong to another workspace; they are opaque and never looked up here.
const actor = v.pipe(
  actorSchema,
  v.transform((read) => read as Actor),
);

const usage = v.object({
  inputTokens: count,
  outputTokens: count,
  cachedInputTokens: count,
  thinkingTokens: count,
  cacheWriteTokens: v.exactOptional(count),
});

const request = v.object({
  model: v.string(),
  maxTokens: v.exactOptional(v.number()),
  temperature: v.exactOptional(v.number()),
  tools: v.exactOptional(v.array(v.string())),
  toolSyntax: v.exactOptional(v.string()),
  stop: v.exactOptional(v.string()),
  resent: v.exactOptional(v.literal("safe")),
  view: v.exactOptional(v.string()),
});

const compacts = v.object({
  through: v.nullable(id),
  messages: count,
  tokensBefore: count,
  tokensAfter: count,
  by: v.picklist(["share", "person"]),
  model: v.string(),
  editedBy: v.exactOptional(v.string()),
  outdated: v.exactOptional(v.literal(true)),
  off: v.exactOptional(v.literal(true)),
});

const node = v.object({
  id,
  parentId: v.nullable(id),
  message: v.unknown(),
  actor,
  usage: v.nullable(usage),
  createdAt: timeMs,
  tags: v.exactOptional(v.array(v.string())),
  customData: v.exactOptional(jsonObject),
  splitFrom: v.exactOptional(id),
  continues: v.exactOptional(id),
  request: v.exactOptional(request),
  variants: v.exactOptional(
    v.array(v.object({ at: timeMs, actor, usage: v.nullable(usage), request: v.exactOptional(request) })),
  ),
  authors: v.exactOptional(v.array(v.object({ block: count, from: count, to: count, actor }))),
  edited: v.exactOptional(v.object({ by: v.array(actor), original: v.string() })),
  excluded: v.exactOptional(v.literal(true)),
  collapsed: v.exactOptional(v.literal(true)),
  compacts: v.exactOptional(compacts),
});

const headSchema = v.object({ format: v.literal(exportFormat), version: v.number() });

const exportSchema = v.object({
  root: v.object({ title: v.string(), systemPrompt: v.string(), model: v.string() }),
  nodes: v.array(node),
  bookmarks: v.array(
    v.object({
      title: v.pipe(v.string(), v.nonEmpty("A bookmark must have a title.")),
      nodeId: v.nullable(id),
      createdAt: timeMs,
      updatedAt: timeMs,
    }),
  ),
  blobs: v.exactOptional(v.array(v.object({ id, data: v.string() }))),
});
