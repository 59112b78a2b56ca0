import * as v from "valibot";
import type { BlockId } from "../base/ids.ts";
import type { Json } from "../base/json.ts";
import { blockKinds } from "../block/kinds.ts";
import { blockStatuses } from "../block/types.ts";
import { anyObject } from "./any-object.ts";
import { documentReach, noReach } from "./reach.ts";
import type { ToolSpec } from "./types.ts";

const toBlockId = v.transform((id: string) => id as BlockId);
const blockId = v.pipe(
  v.string(),
  v.nonEmpty(),
  v.description("The block's id, as block_create or block_list gave it."),
  toBlockId,
);
const whole = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
const baseVersion = v.pipe(
  whole,
  v.description("The version that the line numbers or offsets refer to, as block_read gave it; default: the newest."),
);
const anchor = v.pipe(
  v.string(),
  v.description(
    "`N:hash` or `N:hash..M:hash` (both lines included), as block_read prints with anchors; instead of line numbers.",
  ),
);
const startLine = v.pipe(whole, v.description("First line, from 0."));
const endLine = v.pipe(whole, v.description("The line after the last one (exclusive end)."));
const expectedText = v.pipe(
  v.string(),
  v.description("What the lines say now, joined by newlines. The edit is refused if they say anything else."),
);
const content = v.pipe(
  v.string(),
  v.description('Whole lines, without numbers. A newline at the end is optional; "\\n" alone is a blank line.'),
);
const searchedFor = v.pipe(v.string(), v.nonEmpty(), v.maxLength(10_000));
const searchMode = v.exactOptional(
  v.pipe(v.picklist(["regex", "literal"]), v.description("How query is read; default regex.")),
);
const json = v.custom<Json>(() => true);

export const blockCreate = {
  name: "block_create",
  description:
    "Creates a block and returns its block_id and version. Use kind `file` with metadata.path for a document, the other kinds for parts of a conversation.",
  input: v.strictObject({
    parent_id: v.exactOptional(v.pipe(v.string(), v.description("The block that this one belongs under."), toBlockId)),
    after: v.exactOptional(
      v.pipe(v.string(), v.description("A sibling that the new block comes right after; default: the end."), toBlockId),
    ),
    role: v.pipe(
      v.picklist(["user", "model", "assistant", "system", "tool"]),
      v.transform((role) => (role === "model" ? "assistant" : role)),
    ),
    kind: v.picklist(blockKinds),
    content: v.exactOptional(v.pipe(v.string(), v.description("The text to begin with."))),
    metadata: v.exactOptional(
      v.objectWithRest(
        {
          path: v.exactOptional(v.pipe(v.string(), v.description("For files: path within the workspace."))),
          language: v.exactOptional(v.pipe(v.string(), v.description("For code: its language."))),
          tool_name: v.exactOptional(v.pipe(v.string(), v.description("For tool_call: the tool."))),
        },
        json,
      ),
    ),
  }),
  access: "write",
  reach: noReach,
  idempotent: false,
} as const satisfies ToolSpec;

export const blockAppend = {
  name: "block_append",
  description:
    "Adds text at the very end of a block, exactly as given: begin it with a newline to start a new line. A block that is done is refused; set its status to running first.",
  input: v.strictObject({ block_id: blockId, text: v.string() }),
  access: "write",
  reach: documentReach,
  idempotent: false,
} as const satisfies ToolSpec;

export const blockEdit = {
  name: "block_edit",
  description:
    "Edits lines of a block. Lines count from 0 and ends are exclusive, as block_read prints them. All operations refer to the text before the call and must not overlap; if one is refused none is done. Read the lines first; give expected_text or an anchor so that nothing is overwritten unseen.",
  input: v.strictObject({
    block_id: blockId,
    operations: v.pipe(
      v.array(
        v.variant("op", [
          v.strictObject({
            op: v.literal("insert"),
            line: v.exactOptional(
              v.pipe(
                whole,
                v.description("For insert: the line to insert before, from 0; the line count inserts at the end."),
              ),
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
    base_version: v.exactOptional(baseVersion),
  }),
  access: "write",
  reach: documentReach,
  idempotent: false,
} as const satisfies ToolSpec;

export const blockSplice = {
  name: "block_splice",
  description:
    "Replaces text by offset: for programs and exact refactorings. To edit as a writer use block_edit. Offsets count UTF-8 bytes unless unit says otherwise and must not fall inside a character.",
  input: v.strictObject({
    block_id: blockId,
    offset: v.pipe(whole, v.description("Where to begin, from 0.")),
    delete_count: v.pipe(whole, v.description("How much to delete, in the same unit.")),
    insert: v.exactOptional(v.string()),
    unit: v.exactOptional(v.picklist(["utf8", "utf16", "codepoint"])),
    base_version: v.exactOptional(baseVersion),
  }),
  access: "write",
  reach: documentReach,
  idempotent: false,
} as const satisfies ToolSpec;

export const blockRead = {
  name: "block_read",
  description:
    "Reads a block: its text with line numbers from 0, role, kind, status, version, line_count and metadata. Give a range for a part of a long block, and anchors to edit lines without retyping them.",
  input: v.strictObject({
    block_id: blockId,
    line_numbers: v.exactOptional(v.pipe(v.boolean(), v.description("Print `N→` before each line; default true."))),
    range: v.exactOptional(
      v.pipe(v.strictObject({ start: startLine, end: endLine }), v.description("Only these lines; default all.")),
    ),
    anchors: v.exactOptional(v.pipe(v.boolean(), v.description("Print `N:hash→` before each line; default false."))),
  }),
  access: "read",
  reach: documentReach,
  idempotent: true,
} as const satisfies ToolSpec;

export const blockSearch = {
  name: "block_search",
  description:
    "Finds lines in a block by regular expression (JavaScript) or literal text, with line numbers from 0 and columns. A line of more than 1,000 characters is cut around its match, and shown from column text_start. An invalid expression is searched as literal text and the answer says so. No match is an empty list.",
  input: v.strictObject({
    block_id: blockId,
    query: searchedFor,
    mode: searchMode,
    context_lines: v.exactOptional(
      v.pipe(whole, v.maxValue(50), v.description("Lines shown before and after; default 2.")),
    ),
    max_matches: v.exactOptional(v.pipe(whole, v.minValue(1), v.maxValue(1_000), v.description("Default 20."))),
  }),
  access: "read",
  reach: documentReach,
  idempotent: true,
} as const satisfies ToolSpec;

export const blockList = {
  name: "block_list",
  description:
    "Lists blocks with their ids, kinds, statuses, paths and a summary, 200 at most. All filters given must hold. truncated says that there are more: ask again with after.",
  input: v.strictObject({
    parent_id: v.exactOptional(v.pipe(v.string(), v.description("Only blocks under this one."), toBlockId)),
    kind: v.exactOptional(v.picklist(blockKinds)),
    status: v.exactOptional(v.picklist(blockStatuses)),
    path_prefix: v.exactOptional(v.pipe(v.string(), v.description("Only files whose path begins so."))),
    depth: v.exactOptional(
      v.pipe(whole, v.minValue(1), v.maxValue(100), v.description("How many levels down; default 1.")),
    ),
    after: v.exactOptional(
      v.pipe(v.string(), v.description("Go on behind this block, the last of the answer before."), toBlockId),
    ),
  }),
  access: "read",
  reach: documentReach,
  idempotent: true,
} as const satisfies ToolSpec;

export const blockStatus = {
  name: "block_status",
  description: "Sets a block's status. A block that is done or in error takes text again once it is running.",
  input: v.strictObject({ block_id: blockId, status: v.picklist(blockStatuses) }),
  access: "write",
  reach: noReach,
  idempotent: true,
} as const satisfies ToolSpec;

export const blockApplyPatch = {
  name: "block_apply_patch",
  description:
    "Applies a unified diff to a block: best for changes in several places. Headers count lines from 1, as diffs do; context must be exact; all hunks apply or none. The answer has success, and errors when the patch does not fit.",
  input: v.strictObject({
    block_id: blockId,
    patch: v.pipe(v.string(), v.nonEmpty(), v.description("Hunks with three lines of context, copied exactly.")),
    dry_run: v.exactOptional(v.pipe(v.boolean(), v.description("Only say whether it would be done; default false."))),
    base_version: v.exactOptional(baseVersion),
  }),
  access: "write",
  reach: documentReach,
  idempotent: false,
} as const satisfies ToolSpec;

const oneCall = v.pipe(
  v.string(),
  v.nonEmpty(),
  v.description(
    "Only what this tool call did, as block_history names it (it names none of calls over HTTP); default: the last one.",
  ),
);

export const blockUndo = {
  name: "block_undo",
  description:
    "Takes back your own last edit of a block that stands: everything that one tool call did there. What others wrote stays, and changed_by_others names them. Call it again for the edit before.",
  input: v.strictObject({ block_id: blockId, tool_call_id: v.exactOptional(oneCall) }),
  access: "write",
  reach: documentReach,
  idempotent: false,
} as const satisfies ToolSpec;

export const blockRedo = {
  name: "block_redo",
  description: "Puts back the edit of yours that block_undo took back last, until you edit the block anew.",
  input: v.strictObject({ block_id: blockId, tool_call_id: v.exactOptional(oneCall) }),
  access: "write",
  reach: documentReach,
  idempotent: false,
} as const satisfies ToolSpec;

export const blockHistory = {
  name: "block_history",
  description:
    "Tells what was done to a block, newest first: who, in which tool call, at which versions, and a summary. What belongs to one edit is one entry.",
  input: v.strictObject({
    block_id: blockId,
    before_version: v.exactOptional(
      v.pipe(whole, v.minValue(1), v.description("Only what came before this version, to read on; default: all.")),
    ),
    max_entries: v.exactOptional(v.pipe(whole, v.minValue(1), v.maxValue(100), v.description("Default 20."))),
  }),
  access: "read",
  reach: documentReach,
  idempotent: true,
} as const satisfies ToolSpec;

export const kernelSearch = {
  name: "kernel_search",
  description:
    "Finds lines in all files, or in blocks of the kinds given, by regular expression (JavaScript); lines count from 0. A line of more than 1,000 characters is cut around its match. An invalid expression is searched as literal text and the answer says so. truncated says that there is more. No match is an empty list.",
  input: v.strictObject({
    query: searchedFor,
    mode: v.exactOptional(
      v.pipe(
        v.picklist(["regex", "literal", "words"]),
        v.description(
          "How query is read; default regex. words: best files first, in which every word stands; for files only, other kinds take literal or regex.",
        ),
      ),
    ),
    kinds: v.exactOptional(
      v.pipe(
        v.array(v.picklist(blockKinds)),
        v.minLength(1),
        v.maxLength(blockKinds.length),
        v.description("Default: file."),
      ),
    ),
    path_prefix: v.exactOptional(v.pipe(v.string(), v.description("Only files whose path begins so."))),
    context_lines: v.exactOptional(
      v.pipe(whole, v.maxValue(50), v.description("Lines shown before and after; default 0.")),
    ),
    max_matches_per_block: v.exactOptional(
      v.pipe(whole, v.minValue(1), v.maxValue(1_000), v.description("Default 20.")),
    ),
    max_blocks: v.exactOptional(v.pipe(whole, v.minValue(1), v.maxValue(200), v.description("Default 20."))),
  }),
  access: "read",
  reach: documentReach,
  idempotent: true,
} as const satisfies ToolSpec;

export const blockUpdate = {
  name: "block_update",
  description:
    "Sets what a block has beside its text: collapsed folds it for people, excluded keeps it out of what models are told unasked, metadata sets the fields given (null removes one).",
  input: v.strictObject({
    block_id: blockId,
    collapsed: v.exactOptional(v.boolean()),
    excluded: v.exactOptional(v.boolean()),
    metadata: v.exactOptional(anyObject),
  }),
  access: "write",
  reach: noReach,
  idempotent: true,
} as const satisfies ToolSpec;

export const blockDelete = {
  name: "block_delete",
  description:
    "Deletes a block for good; it cannot be taken back by block_undo. Its siblings keep their order, what stands under it stays, and its id is never used again.",
  input: v.strictObject({ block_id: blockId }),
  access: "write",
  reach: noReach,
  idempotent: false,
} as const satisfies ToolSpec;

export const blockSync = {
  name: "block_sync",
  description:
    "For clients that keep copies of blocks: what came after the versions they have, and whole blocks that they do not have yet. When truncated, call again with what you have then.",
  input: v.strictObject({
    versions: v.pipe(
      v.array(v.strictTuple([blockId, whole])),
      v.maxLength(10_000),
      v.description("Pairs of a block_id and the version that the caller has of it."),
    ),
  }),
  access: "read",
  reach: documentReach,
  idempotent: true,
} as const satisfies ToolSpec;

export const blockSubscribe = {
  name: "block_subscribe",
  description:
    "For clients that keep copies of blocks: a stream of every change from now on, after what came since the versions given. An empty block_ids, or none, means all blocks, also those that are made later.",
  input: v.strictObject({
    block_ids: v.exactOptional(v.pipe(v.array(blockId), v.maxLength(10_000))),
    from_versions: v.exactOptional(
      v.pipe(
        v.array(v.strictTuple([blockId, whole])),
        v.maxLength(10_000),
        v.description("Pairs of a block_id and the version that the caller has of it."),
      ),
    ),
  }),
  access: "read",
  reach: documentReach,
  idempotent: true,
} as const satisfies ToolSpec;

/** The block tools, in the order in which a model is told of them. */
export const blockTools = [
  blockRead,
  blockSearch,
  kernelSearch,
  blockList,
  blockHistory,
  blockEdit,
  blockApplyPatch,
  blockAppend,
  blockSplice,
  blockUndo,
  blockRedo,
  blockCreate,
  blockStatus,
  blockUpdate,
  blockDelete,
] as const satisfies readonly ToolSpec[];
