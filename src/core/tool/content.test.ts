import { describe, expect, test } from "vitest";
import { must } from "../base/assert.ts";
import { refusal, type Refusal } from "../base/errors.ts";
import type { BlockId, DocumentId, LeaseId } from "../base/ids.ts";
import { lineHash } from "../base/lines.ts";
import type { JsonObject } from "../base/json.ts";
import type { Result } from "../base/result.ts";
import { planPatch } from "../block/patch/apply.ts";
import { searchText } from "../block/search/search.ts";
import { applyChanges } from "../block/change/text-change.ts";
import type { BlockHeader } from "../block/types.ts";
import { refusalContent } from "./base/answer-content.ts";
import {
  blockListContent,
  blockReadContent,
  blockSearchContent,
  blockSearchQuery,
  proposedContent,
} from "./block/block-content.ts";
import {
  canvasGrepContent,
  canvasGrepQuery,
  canvasReadAllContent,
  canvasReadLinesContent,
  checkedInContent,
  checkedOutContent,
  editAppliedContent,
  renewedContent,
} from "./canvas/canvas-content.ts";
import { canvasTools } from "./canvas/canvas-tools.ts";
import { toolPrompt } from "./prompt.ts";
import { documentFeatures } from "./registry.ts";

const canvas = { text: "# Title\r\n\r\nSee /usr/bin and a(b\r\n", revisionId: "3-abcdef01", title: "Notes" };

function content(result: Result<JsonObject, Refusal>): unknown {
  return result.ok ? result.value : result.error.code;
}

describe("canvas_grep", () => {
  const grep = (query: string, max_matches?: number): unknown => {
    const asked = max_matches === undefined ? { query } : { query, max_matches };
    return canvasGrepContent(searchText(canvas.text, canvasGrepQuery(asked)), canvas.revisionId);
  };

  test("C-13 canvas_grep finds lines from 1 by literal text and by expression", () => {
    expect(grep("Title")).toEqual({
      matches: [{ line: 1, text: "# Title", anchor: `1:${lineHash("# Title")}` }],
      truncated: false,
      revision_id: "3-abcdef01",
    });
    expect(grep("/^# t/i")).toMatchObject({ matches: [{ line: 1 }] });
    expect(grep("/^$/")).toMatchObject({ matches: [{ line: 2, text: "" }] });
  });

  test("canvas_grep takes a path as literal text, not as an expression with odd flags", () => {
    for (const path of ["/usr/bin", "/usr/", "/usr/bin/i"]) {
      expect(canvasGrepQuery({ query: path }).mode).toBe(path === "/usr/" ? "regex" : "literal");
    }
    expect(grep("/usr/bin")).toMatchObject({ matches: [{ line: 3 }] });
    expect(grep(String.raw`/usr\/[b/]/`)).toMatchObject({ matches: [{ line: 3 }] });
  });

  test("canvas_grep searches an invalid expression as text and says so", () => {
    expect(grep("/a(b/")).toMatchObject({ matches: [{ line: 3 }], note: expect.stringContaining("literal text") });
  });

  test("canvas_grep cuts off lines beyond max_matches and says so", () => {
    expect(grep("/./", 1)).toMatchObject({ matches: [{ line: 1 }], truncated: true });
    expect(grep("absent")).toMatchObject({ matches: [], truncated: false });
  });
});

describe("canvas_read_lines and canvas_read_all", () => {
  test("C-14 canvas_read_lines reports an end beyond the canvas as the last line", () => {
    expect(content(canvasReadLinesContent(canvas, { start_line: 2, end_line: 99 }))).toEqual({
      text: "\nSee /usr/bin and a(b",
      start_line: 2,
      end_line: 3,
      line_count: 3,
      revision_id: "3-abcdef01",
    });
  });

  test.each([
    [3, 2, "INVALID_PARAMS"],
    [0, 2, "INVALID_PARAMS"],
    [4, 9, "LINE_OUT_OF_RANGE"],
  ])("C-14 canvas_read_lines refuses lines %d to %d", (start_line, end_line, code) => {
    expect(content(canvasReadLinesContent(canvas, { start_line, end_line }))).toBe(code);
  });

  test("canvas_read_lines numbers anchors from 1", () => {
    expect(content(canvasReadLinesContent(canvas, { start_line: 1, end_line: 1, anchors: true }))).toMatchObject({
      text: `1:${lineHash("# Title")}→# Title`,
    });
  });

  test("canvas_read_all returns the line count, and line numbers when requested", () => {
    expect(canvasReadAllContent(canvas, {})).toEqual({
      text: "# Title\n\nSee /usr/bin and a(b",
      line_count: 3,
      revision_id: "3-abcdef01",
    });
    expect(canvasReadAllContent(canvas, { line_numbers: true })).toMatchObject({
      text: "1→# Title\n2→\n3→See /usr/bin and a(b",
    });
    expect(canvasReadAllContent({ text: "", revisionId: "1-e3b0c442" }, {})).toMatchObject({
      text: "",
      line_count: 0,
    });
  });
});

describe("leases and patches", () => {
  const lease = {
    leaseId: "lease-1" as LeaseId,
    canvasId: "doc/1/1" as BlockId,
    epoch: 7,
    expiresAt: 1_700_000_015_000,
    revisionIdAtCheckout: "3-abcdef01",
  };

  test("C-01 canvas_check_out answers with the founding design's field names", () => {
    expect(checkedOutContent(lease, canvas)).toEqual({
      lease_id: "lease-1",
      revision_id_at_checkout: "3-abcdef01",
      canvas_epoch: 7,
      expires_at: 1_700_000_015_000,
      canvas_id: "doc/1/1",
      title: "Notes",
      line_count: 3,
      revision_id: "3-abcdef01",
    });
  });

  test("canvas_renew_lease and canvas_check_in return the revision", () => {
    expect(renewedContent(lease, "4-00000000")).toEqual({
      lease_id: "lease-1",
      canvas_epoch: 7,
      expires_at: 1_700_000_015_000,
      revision_id: "4-00000000",
    });
    expect(checkedInContent("4-00000000")).toEqual({ released: true, revision_id: "4-00000000" });
  });

  test("C-17 canvas_apply_patch returns the new revision and the lines around each change", () => {
    const text = Array.from({ length: 30 }, (_, index) => `l${index + 1}\n`).join("");
    const planned = planPatch(text, "@@ -5,3 +5,3 @@\n l5\n-l6\n+six\n+and more\n l7\n@@ -25 +25,0 @@\n-l25\n");
    const plan = must(planned.ok ? planned.value : undefined, "the patch fits");
    const after = applyChanges(text, plan.changes);
    const applied = { form: { type: "patch", plan }, delta: plan.changes, merged: false } as const;
    expect(editAppliedContent(applied, { text: after, revisionId: "5-11111111" })).toEqual({
      ok: true,
      applied_hunks: 2,
      offsets: [0, 0],
      warnings: [expect.stringContaining("Hunk 1")],
      new_revision_id: "5-11111111",
      revision_id: "5-11111111",
      line_count: 30,
      text_around:
        "3→l3\n4→l4\n5→l5\n6→six\n7→and more\n8→l7\n9→l8\n10→l9\n…\n23→l22\n24→l23\n25→l24\n26→l26\n27→l27\n28→l28\n29→l29",
      merged_with_others: false,
    });
  });

  test("canvas_apply_patch cuts off the lines around a long change", () => {
    const after = "x\n".repeat(500);
    const plan = { appliedHunks: 1, offsets: [0], warnings: [] };
    const delta = [{ from: 0, to: 0, insert: after }];
    const shown = editAppliedContent(
      { form: { type: "patch", plan }, delta, merged: true },
      { text: after, revisionId: "1-0" },
    );
    expect(shown["text_around"]).toMatch(/^1→x\n(?:\d+→x\n){59}…\n$/);
  });

  test("a refusal to a model holds code, sentence, facts and the revision", () => {
    expect(refusalContent(refusal("STALE_EPOCH", { epoch: 1, gone: undefined }), "3-abcdef01")).toEqual({
      ok: false,
      code: "STALE_EPOCH",
      message: refusal("STALE_EPOCH").message,
      details: { epoch: 1 },
      revision_id: "3-abcdef01",
    });
    expect(refusalContent(refusal("BLOCK_NOT_FOUND"))).toEqual({
      ok: false,
      code: "BLOCK_NOT_FOUND",
      message: refusal("BLOCK_NOT_FOUND").message,
      details: {},
    });
  });
});

describe("block answers", () => {
  const header: BlockHeader = {
    id: "doc/1/1" as BlockId,
    documentId: "doc" as DocumentId,
    parentId: null,
    role: "assistant",
    kind: "file",
    status: "done",
    version: 4,
    metadata: { path: "a.md", language: "md" },
    collapsed: false,
    excluded: false,
    createdAt: 0,
    updatedAt: 0,
  };

  test("block_read returns the founding design's fields, with line numbers by default", () => {
    expect(content(blockReadContent(header, "a\nb\n", { base: 0 }))).toEqual({
      content: "0→a\n1→b",
      metadata: { path: "a.md", language: "md" },
      role: "assistant",
      kind: "file",
      status: "done",
      version: 4,
      line_count: 2,
      final_newline: true,
      eol: "lf",
    });
    expect(
      content(blockReadContent(header, "a\nb\n", { base: 0, line_numbers: false, range: { start: 1, end: 2 } })),
    ).toMatchObject({ content: "b" });
    expect(content(blockReadContent(header, "a\n", { base: 0, anchors: true }))).toMatchObject({
      content: `0:${lineHash("a")}→a`,
    });
    expect(content(blockReadContent(header, "a\n", { base: 0, range: { start: 5, end: 6 } }))).toBe(
      "LINE_OUT_OF_RANGE",
    );
  });

  test("B-23 block_search returns lines from 0, columns and two lines of context", () => {
    const search = (query: string): unknown =>
      blockSearchContent(searchText("1\n2\n3\nx(4\n5\n", blockSearchQuery({ query })), 0);
    expect(search("\\(4")).toEqual({
      matches: [{ line: 3, content: "2\n3\nx(4\n5", content_start: 1, match_start: 1, match_end: 3 }],
      truncated: false,
    });
    expect(search("x(4")).toMatchObject({ matches: [{ line: 3 }], note: expect.stringContaining("literal") });
    expect(search("none")).toEqual({ matches: [], truncated: false });
  });

  test("block_list returns the founding design's fields and a summary", () => {
    expect(blockListContent([{ header, text: "# A\n\ntext\n", dirty: true }])).toEqual({
      blocks: [
        {
          block_id: "doc/1/1",
          role: "assistant",
          kind: "file",
          status: "done",
          path: "a.md",
          summary: "# A text",
          version: 4,
          dirty: true,
        },
      ],
    });
    expect(blockListContent([{ header: { ...header, metadata: {} }, text: "word ".repeat(100) }])).toMatchObject({
      blocks: [{ summary: `${"word ".repeat(20).trim()}… (1 lines)` }],
    });
  });
});

test("C-18 the tool prompt is brief and mentions enabled tools only", () => {
  expect(toolPrompt({ ...documentFeatures, blocks: false, canvas: false })).toBe("");
  expect(toolPrompt({ ...documentFeatures, canvas: false })).not.toMatch(/canvas|lease/i);
  const both = toolPrompt(documentFeatures);
  for (const { name } of canvasTools) expect(both).toContain(name);
  for (const said of [
    "canvas_check_out",
    "Do not retype",
    "unified diff",
    "STALE_EPOCH",
    "Lines count from 1",
    "block_edit",
  ]) {
    expect(both).toContain(said);
  }
  expect(both.length).toBeLessThan(3_000);
});

test.each([
  ["a new suggestion", "s1", "the canvas does not change until a person keeps it"],
  ["a suggestion that changes nothing", null, "Nothing was added"],
] as const)("the answer to %s says what happened", (_what, suggestionId, words) => {
  const content = proposedContent(3, suggestionId);
  expect(content["note"]).toContain(words);
  expect(content["suggestion_id"]).toBe(suggestionId ?? undefined);
});

test("14.10 block_search shows two lines of context and twenty matches, unless asked for others", () => {
  expect(blockSearchQuery({ query: "x" })).toMatchObject({ mode: "regex", contextLines: 2, maxMatches: 20 });
  const asked = { query: "x", mode: "literal", context_lines: 0, max_matches: 5 } as const;
  expect(blockSearchQuery(asked)).toMatchObject({ mode: "literal", contextLines: 0, maxMatches: 5 });
});
