import { describe, expect, test } from "vitest";
import { isJsonObject, type Json, type JsonObject } from "../../base/json.ts";
import { askUser } from "../agent/ask-user.ts";
import { submitResult } from "../agent/submit-result.ts";
import { blockCreate, blockEdit, blockSplice, blockUpdate } from "../block/block-tools.ts";
import { modelBlockEdit, modelBlockTools } from "../block/model-block-tools.ts";
import { canvasGrep, canvasReadLines, canvasTools } from "../canvas/canvas-tools.ts";
import { commentTools } from "../comment/comment-tools.ts";
import { readToolInput, toolDefinition } from "./definitions.ts";
import { allFeatures, documentFeatures, findTool, toolSpecs } from "../registry.ts";
import type { ToolSpec } from "./types.ts";

const all = toolSpecs(allFeatures);

/** Returns every key anywhere in a schema. */
function keywords(schema: Json): readonly string[] {
  if (Array.isArray(schema)) return schema.flatMap(keywords);
  if (!isJsonObject(schema)) return [];
  return Object.entries(schema).flatMap(([key, value]) => [key, ...keywords(value)]);
}

function message(spec: ToolSpec, parameters: JsonObject): string {
  const input = readToolInput(spec, parameters);
  return input.ok ? "ok" : `${input.error.code}: ${input.error.message}`;
}

describe("toolDefinition", () => {
  test.each(all.map((spec) => [spec.name, spec] as const))(
    "toolDefinition of %s is one plain object schema",
    (_name, spec) => {
      const { name, description, inputSchema } = toolDefinition(spec);
      expect(name).toMatch(/^[a-z_]+$/);
      expect(description.length).toBeGreaterThan(40);
      expect(inputSchema).toMatchObject({ type: "object", additionalProperties: false });
      const refused = new Set(["$schema", "$ref", "$defs", "oneOf", "anyOf", "allOf", "const", "propertyNames"]);
      expect(keywords(inputSchema).filter((keyword) => refused.has(keyword))).toEqual([]);
      expect(JSON.stringify(inputSchema)).not.toContain(String(Number.MAX_SAFE_INTEGER));
    },
  );

  test("the tools have the founding design's parameters and only Heddle's additions", () => {
    const parameters = Object.fromEntries(
      all.map((spec) => {
        const { properties, required } = toolDefinition(spec).inputSchema;
        const names = isJsonObject(properties) ? Object.keys(properties) : [];
        return [
          spec.name,
          names.map((name) => (Array.isArray(required) && required.includes(name) ? name : `${name}?`)).join(" "),
        ];
      }),
    );
    expect(parameters).toEqual({
      block_create: "parent_id? after? role kind content? metadata?",
      block_status: "block_id status",
      block_append: "block_id text new_line?",
      block_edit: "block_id operations base_version?",
      block_splice: "block_id offset delete_count insert? unit? expected_text? base_version?",
      block_apply_patch: "block_id patch dry_run? base_version?",
      block_update: "block_id collapsed? excluded? metadata?",
      block_delete: "block_id",
      block_restore: "block_id",
      block_undo: "block_id tool_call_id?",
      block_redo: "block_id tool_call_id?",
      block_history: "block_id before_version? max_entries?",
      kernel_search: "query mode? kinds? path_prefix? context_lines? max_matches_per_block? max_blocks?",
      block_read: "block_id start_line? end_line? anchors? line_numbers? raw?",
      block_search: "block_id query mode? context_lines? max_matches?",
      block_list: "parent_id? kind? status? path_prefix? depth? conversation_id? after?",
      canvas_check_out: "canvas_id?",
      canvas_renew_lease: "lease_id",
      comment_add: "canvas_id? lines? quote? occurrence? text",
      comment_list: "canvas_id? state? lines? after?",
      comment_reply: "comment_id text",
      comment_resolve: "comment_id text? reopen?",
      canvas_check_in: "lease_id",
      canvas_grep: "lease_id query max_matches?",
      canvas_outline: "lease_id section? max_entries?",
      canvas_read_lines: "lease_id start_line? end_line? section? list_item? anchors?",
      canvas_read_all: "lease_id line_numbers? anchors?",
      canvas_edit: "lease_id edits base_revision_id?",
      canvas_apply_patch: "lease_id patch base_revision_id?",
      list_files: "glob? max_files?",
      read_files: "files line_numbers?",
      keyword_search: "keywords path_prefix? max_files?",
      replace_in_file: "path replacements",
      patch: "files",
      write_file: "path content",
      move_file: "path to",
      delete_file: "path",
      bash: "command time_limit_s?",
      think: "thought",
    });
  });

  test("sub-agents have the founding design's tools and the reading ones, and start no sub-agents", () => {
    const names = toolSpecs(allFeatures, "sub-agent").map(({ name }) => name);
    expect(names).toEqual(
      expect.arrayContaining(["bash", "patch", "think", "keyword_search", "read_files", "list_files"]),
    );
    expect(names.filter((name) => /^(spawn|ask|canvas|block|comment|delete|move)_/u.test(name))).toEqual([]);
    expect(all.map(({ name }) => name)).not.toContain("submit_result");
  });

  test("submit_result takes a result and whether it succeeded, which is true unless it is given", () => {
    expect(toolDefinition(submitResult).inputSchema).toMatchObject({
      properties: { result: { type: "string" }, success: { type: "boolean" } },
      required: ["result"],
    });
    expect(readToolInput(submitResult, { result: "done" })).toEqual({
      ok: true,
      value: { result: "done", success: true },
    });
  });

  test("toolDefinition describes the operations of block_edit as one object, tagged by op", () => {
    expect(toolDefinition(blockEdit).inputSchema).toMatchObject({
      properties: {
        operations: {
          items: {
            type: "object",
            required: ["op"],
            properties: { op: { type: "string", enum: ["insert", "delete", "replace"] } },
          },
        },
      },
    });
  });
});

describe("readToolInput", () => {
  test("readToolInput returns well-formed parameters unchanged", () => {
    const operation = { op: "replace", start_line: 0, end_line: 1, content: "x", expected_text: "y" };
    expect(readToolInput(blockEdit, { block_id: "b", operations: [operation] })).toEqual({
      ok: true,
      value: { block_id: "b", operations: [operation] },
    });
  });

  test("readToolInput takes null for an optional parameter as absent", () => {
    const operation = { op: "delete", start_line: 0, end_line: 1, anchor: null };
    expect(readToolInput(blockEdit, { block_id: "b", operations: [operation], base_version: null })).toEqual({
      ok: true,
      value: { block_id: "b", operations: [{ op: "delete", start_line: 0, end_line: 1 }] },
    });
  });

  test("readToolInput reads the role `model` as `assistant` and keeps metadata", () => {
    expect(
      readToolInput(blockCreate, { role: "model", kind: "file", metadata: { path: "a.md", own: { deep: null } } }),
    ).toEqual({
      ok: true,
      value: { role: "assistant", kind: "file", metadata: { path: "a.md", own: { deep: null } } },
    });
  });

  test.each<readonly [name: string, spec: ToolSpec, parameters: JsonObject, expected: readonly string[]]>([
    ["a missing parameter", blockEdit, {}, ["block_id: is required", "operations: is required"]],
    ["a null for a required parameter", canvasGrep, { lease_id: null, query: "x" }, ["lease_id: is required"]],
    [
      "a wrong type",
      canvasReadLines,
      { lease_id: "l", start_line: "3", end_line: 4 },
      ['start_line: must be a number, not "3"'],
    ],
    [
      "a number out of bounds",
      canvasReadLines,
      { lease_id: "l", start_line: 0, end_line: 4 },
      ["start_line: must be at least 1, not 0"],
    ],
    [
      "a fraction",
      blockSplice,
      { block_id: "b", offset: 0.5, delete_count: 0 },
      ["offset: must be a whole number, not 0.5"],
    ],
    [
      "a value outside the allowed ones",
      blockCreate,
      { role: "boss", kind: "text" },
      ['role: must be one of "user"', 'not "boss"'],
    ],
    [
      "an unknown parameter",
      canvasGrep,
      { lease_id: "l", query: "x", limit: 3 },
      ["limit: there is no such parameter"],
    ],
    [
      "a list without elements",
      blockEdit,
      { block_id: "b", operations: [] },
      ["operations: must be at least 1 long, not 0"],
    ],
    [
      "a query that is too long",
      canvasGrep,
      { lease_id: "l", query: "x".repeat(10_001) },
      ["query: must be at most 10000 long"],
    ],
    ["an empty query", canvasGrep, { lease_id: "l", query: "" }, ["query: must not be empty."]],
    [
      "a list in place of an object",
      blockUpdate,
      { block_id: "b", metadata: [1] },
      ["metadata: must be an object, not Array."],
    ],
    [
      "a mistake deep inside",
      blockEdit,
      {
        block_id: "b",
        operations: [
          { op: "insert", line: 0, content: "x" },
          { op: "move", line: 0 },
        ],
      },
      ['operations.1.op: must be one of "insert", "delete", "replace", not "move"'],
    ],
    [
      "a mistake that no schema can express",
      askUser,
      { questions: [{ question: "Which?", options: [{ label: "a" }, { label: "a" }] }] },
      ["questions.0.options: must each have a label of their own"],
    ],
  ])("readToolInput reports %s with its path", (_name, spec, parameters, expected) => {
    const said = message(spec, parameters);
    expect(said).toMatch(/^INVALID_PARAMS: /);
    for (const part of expected) expect(said).toContain(part);
  });
});

describe("the tool registry", () => {
  test("C-18 toolSpecs has no canvas tool when the canvas is off, and no tool when all families are off", () => {
    expect(toolSpecs({ ...documentFeatures, canvas: false })).toEqual(modelBlockTools);
    expect(JSON.stringify(toolSpecs({ ...documentFeatures, canvas: false }).map(toolDefinition))).not.toMatch(
      /canvas|lease/i,
    );
    expect(toolSpecs({ ...documentFeatures, blocks: false })).toEqual([...canvasTools, ...commentTools]);
    expect(toolSpecs({ ...documentFeatures, blocks: false, canvas: false })).toEqual([]);
  });

  test("tool names are unique", () => {
    expect(new Set(all.map((spec) => spec.name)).size).toBe(all.length);
  });

  test("findTool finds a tool by its name and by the founding design's dotted name", () => {
    expect(findTool(all, "block_edit")).toEqual({ ok: true, value: modelBlockEdit });
    expect(findTool(all, "block.edit")).toEqual({ ok: true, value: modelBlockEdit });
  });

  test("findTool answers an unknown name with the nearest name and the list", () => {
    const unknown = findTool(all, "block_edits");
    expect(unknown).toMatchObject({ error: { code: "UNKNOWN_TOOL", details: { nearest: "block_edit" } } });
    expect(!unknown.ok && unknown.error.message).toContain("Did you mean block_edit?");
    const far = findTool(all, "send_rocket");
    expect(far).toMatchObject({ error: { code: "UNKNOWN_TOOL", details: { tools: all.map((spec) => spec.name) } } });
    expect(!far.ok && far.error.details).not.toHaveProperty("nearest");
  });
});
