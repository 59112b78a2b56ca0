import * as v from "valibot";
import type { ToolSpec } from "../base/types.ts";
import {
  blockAppend,
  blockApplyPatch,
  blockCreate,
  blockDelete,
  blockEdit,
  blockHistory,
  blockList,
  blockRead,
  blockRedo,
  blockRestore,
  blockSearch,
  blockSplice,
  blockStatus,
  blockUndo,
  blockUpdate,
  kernelSearch,
} from "./block-tools.ts";

/*
 * The block tools as models are offered them: lines count from 1 and ends are included, as in the canvas and file tools. The
 * founding design's form, from 0 with exclusive ends, is in block-tools.ts; programs and dotted names have that one.
 */

const lineNumber = v.pipe(v.number(), v.safeInteger(), v.minValue(1));
const startLine = v.pipe(lineNumber, v.description("First line, from 1."));
const endLine = v.pipe(lineNumber, v.description("Last line, included."));
const anchor = v.pipe(
  v.string(),
  v.description("`N:hash` or `N:hash..M:hash`, from a read with anchors; instead of line numbers."),
);
const expectedText = v.pipe(v.string(), v.description("The current lines; refused if they differ."));
const content = v.pipe(v.string(), v.description("Whole lines, without numbers."));
const readEntries = blockRead.input.entries;

export const modelBlockRead = {
  ...blockRead,
  description:
    "Reads a block: its text with line numbers from 1, role, kind, status, version, line_count, final_newline, eol and metadata. Lines are shown without their line ends; raw gives the exact text.",
  input: v.strictObject({
    block_id: readEntries.block_id,
    start_line: v.exactOptional(startLine),
    end_line: v.exactOptional(v.pipe(lineNumber, v.description("Last line, included; default: the last."))),
    anchors: readEntries.anchors,
    line_numbers: readEntries.line_numbers,
    raw: readEntries.raw,
  }),
} as const satisfies ToolSpec;

export const modelBlockSearch = {
  ...blockSearch,
  description:
    "Finds lines in a block by regular expression (JavaScript) or literal text; lines count from 1. An invalid expression is searched as literal text, and the answer says so. No match returns an empty list.",
} as const satisfies ToolSpec;

export const modelKernelSearch = {
  ...kernelSearch,
  description:
    "Finds lines in all files or, with kinds, in other blocks: text finds what people and models said, in every conversation. By regular expression (JavaScript); lines count from 1. truncated means that there are more matches. No match returns an empty list.",
} as const satisfies ToolSpec;

export const modelBlockEdit = {
  ...blockEdit,
  description:
    "Edits lines of a block. Lines count from 1, ends included; anchors instead of numbers are the short and safe way. All operations refer to the text before the call and must not overlap; if one is refused, none is applied.",
  input: v.strictObject({
    block_id: blockEdit.input.entries.block_id,
    operations: v.pipe(
      v.array(
        v.variant("op", [
          v.strictObject({
            op: v.literal("insert"),
            line: v.exactOptional(
              v.pipe(lineNumber, v.description("For insert: before this line; line_count + 1 inserts at the end.")),
            ),
            anchor: v.exactOptional(anchor),
            content,
          }),
          v.strictObject({
            op: v.literal("delete"),
            start_line: v.exactOptional(startLine),
            end_line: v.exactOptional(endLine),
            anchor: v.exactOptional(anchor),
            expected_text: v.exactOptional(expectedText),
          }),
          v.strictObject({
            op: v.literal("replace"),
            start_line: v.exactOptional(startLine),
            end_line: v.exactOptional(endLine),
            anchor: v.exactOptional(anchor),
            content,
            expected_text: v.exactOptional(expectedText),
          }),
        ]),
      ),
      v.minLength(1),
      v.maxLength(1_000),
    ),
    base_version: blockEdit.input.entries.base_version,
  }),
} as const satisfies ToolSpec;

/** The block tools for models, in the order in which a model sees them: the cheapest edits first. */
export const modelBlockTools = [
  modelBlockRead,
  modelBlockSearch,
  modelKernelSearch,
  blockList,
  modelBlockEdit,
  blockApplyPatch,
  blockAppend,
  blockHistory,
  blockSplice,
  blockUndo,
  blockRedo,
  blockCreate,
  blockStatus,
  blockUpdate,
  blockDelete,
  blockRestore,
] as const satisfies readonly ToolSpec[];
