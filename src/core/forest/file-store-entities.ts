import * as v from "valibot";
import { refusal, type Refusal } from "../base/errors.ts";
import type { JsonObject } from "../base/json.ts";
import { err, ok, type Result } from "../base/result.ts";
import { isBoundedJsonObject } from "../message/json-bounds.ts";
import { readAnyMessage } from "../message/read-legacy.ts";
import { noUsage, type Usage } from "../message/usage.ts";
import type { PortableTreeNode } from "./portable.ts";
import type { ModelRequestFacts } from "./types.ts";
import { utcMsOf } from "./utc-ms.ts";

/*
 * The files of the legacy file store: `roots.json`, one JSON file for each node, bookmarks in its configuration. Roots
 * are
 * `root-N`, nodes `root-N/node-M`; messages hold one string with calls beside it, or content blocks.
 */

/** The author of a message, as the legacy store recorded it. */
export type FileStoreSource =
  | { readonly type: "user" }
  | { readonly type: "tool"; readonly toolName: string }
  | { readonly type: "model"; readonly provider: string; readonly model: string };

/** A conversation as listed in `roots.json`. */
export interface FileStoreRootEntry {
  readonly id: string;
  /** undefined: requested without a prompt. */
  readonly systemPrompt: string | undefined;
  readonly createdAt: number;
  readonly childIds: readonly string[];
  readonly deleted: boolean;
}

/** A node of its file, with its message in canonical form. */
export interface FileStoreNode extends PortableTreeNode {
  readonly rootId: string;
  readonly childIds: readonly string[];
  readonly source: FileStoreSource;
  readonly usage: Usage | null;
  readonly createdAt: number;
  readonly tags?: readonly string[];
  readonly customData?: JsonObject;
  readonly splitFrom?: string;
  readonly request?: ModelRequestFacts;
}

/** A bookmark of the legacy store. */
export interface FileStoreBookmark {
  readonly title: string;
  readonly rootId: string;
  /** null: the root itself. */
  readonly nodeId: string | null;
  readonly createdAt: number;
  readonly updatedAt: number;
}

/** The readable entries of a list, and the problems of the others: one broken entry does not affect the rest. */
export interface ReadEntries<Entry> {
  readonly entries: readonly Entry[];
  readonly problems: readonly Refusal[];
}

/** Reads the file of one node. */
export function readFileStoreNode(text: string): Result<FileStoreNode, Refusal> {
  const parsed = parseJson(text);
  if (!parsed.ok) return parsed;
  const read = v.safeParse(nodeSchema, parsed.value, { abortEarly: true });
  if (!read.success) return invalidField(read.issues[0]);
  const { id, root_id: rootId, parent_id: parent, child_ids: childIds, metadata } = read.output;
  const info = metadata.source_info;
  const message = readAnyMessage(read.output.message, info.type === "tool_result" ? { toolName: info.tool_name } : {});
  if (!message.ok) {
    const { at, ...facts } = message.error.details ?? {};
    return err({ ...message.error, details: { ...facts, at: ["message", at].filter(Boolean).join(".") } });
  }
  return ok({
    id,
    rootId,
    parentId: parent === undefined || parent === rootId ? null : parent,
    childIds,
    message: message.value,
    createdAt: metadata.timestamp,
    ...sourceOf(info),
    ...(metadata.tags === undefined || metadata.tags.length === 0 ? {} : { tags: metadata.tags }),
    ...(metadata.custom_data === undefined ? {} : { customData: metadata.custom_data }),
    ...(metadata.split_source === undefined ? {} : { splitFrom: metadata.split_source }),
  });
}

/** Reads `roots.json`: a list of roots, or an object of them. Any other content is refused, never read as empty. */
export function readFileStoreRoots(text: string): Result<ReadEntries<FileStoreRootEntry>, Refusal> {
  const parsed = parseJson(text);
  if (!parsed.ok) return parsed;
  const listed = v.safeParse(rootsSchema, parsed.value);
  if (!listed.success) return invalid("", "Expected a list of roots.");
  return ok(
    readEach(listed.output, "roots", rootSchema, ({ id, createdAt, config, child_ids: childIds, deleted }) => ({
      id,
      systemPrompt: config.systemPrompt,
      createdAt,
      childIds,
      deleted,
    })),
  );
}

/** Reads the bookmarks of the parsed configuration. */
export function readFileStoreBookmarks(value: unknown): ReadEntries<FileStoreBookmark> {
  if (!Array.isArray(value)) return { entries: [], problems: [invalid("bookmarks", "Expected a list.").error] };
  return readEach(value, "bookmarks", bookmarkSchema, ({ title, rootId, nodeId, createdAt = 0, updatedAt }) => ({
    title,
    rootId,
    nodeId: nodeId === undefined || nodeId === rootId ? null : nodeId,
    createdAt,
    updatedAt: updatedAt ?? createdAt,
  }));
}

function readEach<Read, Entry>(
  list: readonly unknown[],
  name: string,
  schema: v.GenericSchema<unknown, Read>,
  make: (read: Read) => Entry,
): ReadEntries<Entry> {
  const entries: Entry[] = [];
  const problems: Refusal[] = [];
  for (const [index, each] of list.entries()) {
    const read = v.safeParse(schema, each, { abortEarly: true });
    if (read.success) entries.push(make(read.output));
    else problems.push(invalidField(read.issues[0], `${name}.${index}`).error);
  }
  return { entries, problems };
}

function parseJson(text: string): Result<unknown, Refusal> {
  try {
    return ok(JSON.parse(text));
  } catch {
    return invalid("", "The file is not JSON.");
  }
}

function invalid(at: string, problem: string): { readonly ok: false; readonly error: Refusal } {
  return err(refusal("FILE_STORE_INVALID", { at, problem }));
}

function invalidField(issue: v.BaseIssue<unknown>, above = ""): ReturnType<typeof invalid> {
  const at = [above, v.getDotPath(issue) ?? ""].filter(Boolean).join(".");
  return invalid(at, issue.received === "undefined" ? `"${at}" is missing.` : issue.message);
}

function sourceOf(info: v.InferOutput<typeof sourceSchema>): Pick<FileStoreNode, "source" | "usage" | "request"> {
  switch (info.type) {
    case "user":
      return { source: { type: "user" }, usage: null };
    case "tool_result":
      return { source: { type: "tool", toolName: info.tool_name }, usage: null };
    case "model": {
      const { provider, model_name: model, parameters, tools, finish_reason: stop } = info;
      const used = info.usage;
      return {
        source: { type: "model", provider, model },
        usage: used === undefined ? null : { ...noUsage, inputTokens: used.input ?? 0, outputTokens: used.output ?? 0 },
        request: {
          model: `${provider}/${model}`,
          ...(parameters?.max_tokens === undefined ? {} : { maxTokens: parameters.max_tokens }),
          ...(parameters?.temperature === undefined ? {} : { temperature: parameters.temperature }),
          ...(tools === undefined || tools.length === 0 ? {} : { tools }),
          ...(stop === undefined ? {} : { stop }),
        },
      };
    }
  }
}

/** A schema for a field that may be absent, null or undefined in these files. */
function maybe<Output>(schema: v.GenericSchema<unknown, Output>): v.GenericSchema<unknown, Output | undefined> {
  return v.pipe(
    v.nullish(schema),
    v.transform((value) => value ?? undefined),
  );
}

const id = v.pipe(v.string(), v.nonEmpty("An id is empty."));
const ids = v.nullish(v.array(id), []);
/** ISO 8601 in UTC, or milliseconds since 1970. */
const time = v.pipe(
  v.union([v.number(), v.string()]),
  v.transform((value) => (typeof value === "number" ? value : utcMsOf(value))),
  v.number("Expected a time in ISO 8601 or in milliseconds."),
  v.safeInteger("Expected a time in whole milliseconds."),
);
const count = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
const toolNames = v.array(
  v.pipe(
    v.union([v.string(), v.object({ name: v.string() }), v.object({ function: v.object({ name: v.string() }) })]),
    v.transform((tool) => {
      if (typeof tool === "string") return tool;
      return "name" in tool ? tool.name : tool.function.name;
    }),
  ),
);

const sourceSchema = v.variant("type", [
  v.object({ type: v.literal("user") }),
  v.object({ type: v.literal("tool_result"), tool_name: id }),
  v.object({
    type: v.literal("model"),
    provider: v.string(),
    model_name: v.string(),
    parameters: maybe(v.object({ max_tokens: maybe(v.number()), temperature: maybe(v.number()) })),
    tools: maybe(toolNames),
    finish_reason: maybe(v.string()),
    usage: maybe(v.object({ input: maybe(count), output: maybe(count) })),
  }),
]);

const nodeSchema = v.object({
  id,
  root_id: id,
  parent_id: maybe(id),
  child_ids: ids,
  message: v.unknown(),
  metadata: v.object({
    timestamp: time,
    source_info: sourceSchema,
    tags: maybe(v.array(v.string())),
    custom_data: maybe(v.custom<JsonObject>(isBoundedJsonObject, "Expected a JSON object.")),
    split_source: maybe(v.string()),
  }),
});

const rootsSchema = v.union([
  v.array(v.unknown()),
  v.pipe(
    v.object({ roots: v.array(v.unknown()) }),
    v.transform(({ roots }) => roots),
  ),
  v.pipe(
    v.record(v.pipe(v.string(), v.startsWith("root-")), v.unknown()),
    v.transform((roots): unknown[] => Object.values(roots)),
  ),
]);

const rootSchema = v.object({
  id,
  createdAt: time,
  config: v.object({ systemPrompt: maybe(v.string()) }),
  child_ids: ids,
  deleted: v.nullish(v.boolean(), false),
});

const bookmarkSchema = v.object({
  title: v.pipe(v.string(), v.nonEmpty("A bookmark must have a title.")),
  rootId: id,
  nodeId: maybe(id),
  createdAt: maybe(time),
  updatedAt: maybe(time),
});
