import * as v from "valibot";
import type { BlockId, RootId } from "../../base/ids.ts";
import type { Json } from "../../base/json.ts";
import { blockKinds } from "../../block/kinds.ts";
import { blockStatuses } from "../../block/types.ts";
import { anyObject } from "../base/any-object.ts";
import { documentReach, noReach } from "../base/reach.ts";
import type { ToolSpec } from "../base/types.ts";

const toBlockId = v.transform((id: string) => id as BlockId);
const blockId = v.pipe(
  v.string(),
  v.nonEmpty(),
  v.description("The block's id, as returned by block_create or block_list."),
  toBlockId,
);
const whole = v.pipe(v.number(), v.safeInteger(), v.minValue(0));
const baseVersion = v.pipe(
  whole,
  v.description(
    "The version that the line numbers or offsets refer to, as returned by block_read; default: the newest.",
  ),
);
const anchor = v.pipe(
  v.string(),
  v.description(
    "`N:hash` or `N:hash..M:hash` (both lines included), as block_read prints with anchors; use instead of line numbers.",
  ),
);
const startLine = v.pipe(whole, v.description("First line, from 0."));
const endLine = v.pipe(whole, v.description("The line after the last one (exclusive end)."));
const expectedText = v.pipe(
  v.string(),
  v.description("The current lines, joined by newlines. The edit is refused if the text differs."),
);
const content = v.pipe(
  v.string(),
  v.description('Whole lines, without numbers. A newline at the end is optional; "\\n" alone is a blank line.'),
);
const searchedFor = v.pipe(v.string(), v.nonEmpty(), v.maxLength(10_000));
const searchMode = v.exactOptional(
  v.pipe(v.picklist(["regex", "literal"]), v.description("How to interpret query; default regex.")),
);
const json = v.custom<Json>(() => true);

export const blockCreate = {
  name: "block_create",
  description:
    "Creates a block and returns its block_id and version. Use kind `file` with metadata.path for a document, the other kinds for parts of a conversation.",
  input: v.strictObject({
    parent_id: v.exactOptional(v.pipe(v.string(), v.description("The parent block."), toBlockId)),
    after: v.exactOptional(
      v.pipe(v.string(), v.description("The sibling after which to insert the block; default: the end."), toBlockId),
    ),
    role: v.pipe(
      v.picklist(["user", "model", "assistant", "system", "tool"]),
      v.transform((role) => (role === "model" ? "assistant" : role)),
    ),
    kind: v.picklist(blockKinds),
    content: v.exactOptional(v.pipe(v.string(), v.description("The initial text."))),
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
  inDraft: "not-files",
} as const satisfies ToolSpec;

export const blockAppend = {
  name: "block_append",
  description:
    "Adds text at the very end of a block, exactly as given. With new_line, the text begins on a line of its own: a newline is added before it where the block does not end in one. Small pieces that follow each other within 100 ms are written together, as one version and one undo. A block with status done refuses text; set its status to running first.",
  input: v.strictObject({
    block_id: blockId,
    text: v.string(),
    new_line: v.exactOptional(
      v.pipe(v.boolean(), v.description("Begin the text on a line of its own; default false.")),
    ),
  }),
  access: "write",
  reach: documentReach,
  idempotent: false,
  inDraft: "held",
} as const satisfies ToolSpec;

export const blockEdit = {
  name: "block_edit",
  description:
    "Edits lines of a block. Lines count from 0 and ends are exclusive, as block_read prints them. All operations refer to the text before the call and must not overlap; if one operation is refused, none is applied. Read the lines first, and give expected_text or an anchor so that you never overwrite changes you have not seen.",
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
  inDraft: "held",
} as const satisfies ToolSpec;

export const blockSplice = {
  name: "block_splice",
  description:
    "Replaces text by offset, for programs and exact refactorings. To edit lines use block_edit. Offsets count the stored text, as block_read shows it with raw: UTF-8 bytes unless unit says otherwise, both characters of a line end \\r\\n, never inside a character or such a line end.",
  input: v.strictObject({
    block_id: blockId,
    offset: v.pipe(whole, v.description("The offset of the first unit, from 0.")),
    delete_count: v.pipe(whole, v.description("How much to delete, in the same unit.")),
    insert: v.exactOptional(v.string()),
    unit: v.exactOptional(v.picklist(["utf8", "utf16", "codepoint"])),
    expected_text: v.exactOptional(
      v.pipe(v.string(), v.description("The deleted text, exactly as stored. The edit is refused if it differs.")),
    ),
    base_version: v.exactOptional(baseVersion),
  }),
  access: "write",
  reach: documentReach,
  idempotent: false,
  inDraft: "held",
} as const satisfies ToolSpec;

export const blockRead = {
  name: "block_read",
  description:
    "Reads a block: its text with line numbers from 0, role, kind, status, version, line_count, final_newline, eol (lf, crlf, mixed or none) and metadata. Lines are shown without their line ends; raw gives the exact text. Give a range to read part of a long block, and anchors to edit lines without retyping them.",
  input: v.strictObject({
    block_id: blockId,
    line_numbers: v.exactOptional(v.pipe(v.boolean(), v.description("Print `N→` before each line; default true."))),
    range: v.exactOptional(
      v.pipe(v.strictObject({ start: startLine, end: endLine }), v.description("Only these lines; default all.")),
    ),
    anchors: v.exactOptional(v.pipe(v.boolean(), v.description("Print `N:hash→` before each line; default false."))),
    raw: v.exactOptional(
      v.pipe(v.boolean(), v.description("The exact text, with every line end and nothing added; default false.")),
    ),
  }),
  access: "read",
  reach: documentReach,
  idempotent: true,
} as const satisfies ToolSpec;

export const blockSearch = {
  name: "block_search",
  description:
    "Finds lines in a block by regular expression (JavaScript) or literal text, with line numbers from 0 and columns. A line of more than 1,000 characters is cut around its match and shown from column text_start. An invalid expression is searched as literal text, and the answer says so. No match returns an empty list.",
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
    "Lists blocks with their ids, kinds, statuses, paths and a summary, at most 200: documents first, then what was said in the conversation. Calls, results and thinking are listed when kind or parent_id asks for them. A message's parent is what was said before it. A block must match all given filters. If truncated is true, call again with after.",
  input: v.strictObject({
    parent_id: v.exactOptional(v.pipe(v.string(), v.description("Only blocks under this one."), toBlockId)),
    kind: v.exactOptional(v.picklist(blockKinds)),
    status: v.exactOptional(v.picklist(blockStatuses)),
    path_prefix: v.exactOptional(v.pipe(v.string(), v.description("Only files whose path begins with this text."))),
    depth: v.exactOptional(
      v.pipe(whole, v.minValue(1), v.maxValue(10_000), v.description("How many levels down; default 1.")),
    ),
    conversation_id: v.exactOptional(
      v.pipe(
        v.string(),
        v.nonEmpty(),
        v.description("Messages of this conversation, the first part of their ids; default: your own."),
        v.transform((id) => id as RootId),
      ),
    ),
    after: v.exactOptional(
      v.pipe(v.string(), v.description("Continue after this block, the last one of the previous answer."), toBlockId),
    ),
  }),
  access: "read",
  reach: documentReach,
  idempotent: true,
} as const satisfies ToolSpec;

export const blockStatus = {
  name: "block_status",
  description:
    "Sets a block's status. A block with status done or error accepts text again after you set it to running.",
  input: v.strictObject({ block_id: blockId, status: v.picklist(blockStatuses) }),
  access: "write",
  reach: noReach,
  idempotent: true,
  inDraft: "not-files",
} as const satisfies ToolSpec;

export const blockApplyPatch = {
  name: "block_apply_patch",
  description:
    "Applies a unified diff to a block: best for changes in several places. Headers count lines from 1, as diffs do; context must be exact; all hunks apply or none. The answer has success, and errors when the patch does not fit.",
  input: v.strictObject({
    block_id: blockId,
    patch: v.pipe(v.string(), v.nonEmpty(), v.description("Hunks with three lines of context, copied exactly.")),
    dry_run: v.exactOptional(
      v.pipe(v.boolean(), v.description("Only check whether the patch would apply; default false.")),
    ),
    base_version: v.exactOptional(baseVersion),
  }),
  access: "write",
  reach: documentReach,
  idempotent: false,
  inDraft: "held",
} as const satisfies ToolSpec;

const oneCall = v.pipe(
  v.string(),
  v.nonEmpty(),
  v.description(
    "Only the changes of this tool call, by the id in block_history (calls over HTTP have none there); default: the last call.",
  ),
);

export const blockUndo = {
  name: "block_undo",
  description:
    "Undoes your own last edit of a block that is still in effect: everything that one tool call changed there. Changes by others stay, and changed_by_others names their authors. Call it again to undo the edit before.",
  input: v.strictObject({ block_id: blockId, tool_call_id: v.exactOptional(oneCall) }),
  access: "write",
  reach: documentReach,
  idempotent: false,
  inDraft: "not-files",
} as const satisfies ToolSpec;

export const blockRedo = {
  name: "block_redo",
  description: "Redoes the edit that block_undo undid last, unless you have edited the block since.",
  input: v.strictObject({ block_id: blockId, tool_call_id: v.exactOptional(oneCall) }),
  access: "write",
  reach: documentReach,
  idempotent: false,
  inDraft: "not-files",
} as const satisfies ToolSpec;

export const blockHistory = {
  name: "block_history",
  description:
    "Lists the changes of a block, newest first: who, in which tool call, at which versions, and a summary. All changes of one edit are one entry.",
  input: v.strictObject({
    block_id: blockId,
    before_version: v.exactOptional(
      v.pipe(
        whole,
        v.minValue(1),
        v.description("Only changes before this version, to read the next page; default: all."),
      ),
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
    "Finds lines in all files, or in blocks of the given kinds, by regular expression (JavaScript); lines count from 0. A line of more than 1,000 characters is cut around its match. An invalid expression is searched as literal text, and the answer says so. truncated means that there are more matches. No match returns an empty list.",
  input: v.strictObject({
    query: searchedFor,
    mode: v.exactOptional(
      v.pipe(
        v.picklist(["regex", "literal", "words"]),
        v.description(
          "How to interpret query; default regex. words: files that contain every word, best first; for files only, other kinds take literal or regex.",
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
    path_prefix: v.exactOptional(v.pipe(v.string(), v.description("Only files whose path begins with this text."))),
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
    "Sets the properties of a block beside its text: collapsed folds it for people, excluded keeps it from what models receive (lists, searches, updates; by its id they still read it), metadata sets the given fields (null removes a field). A new metadata.path moves a file of a folder, on disk too; a path in use is refused.",
  input: v.strictObject({
    block_id: blockId,
    collapsed: v.exactOptional(v.boolean()),
    excluded: v.exactOptional(v.boolean()),
    metadata: v.exactOptional(anyObject),
  }),
  access: "write",
  reach: noReach,
  idempotent: true,
  inDraft: "not-files",
} as const satisfies ToolSpec;

export const blockDelete = {
  name: "block_delete",
  description:
    "Moves a block to the trash, where people can restore it (for 30 days unless they chose another time), as can you with block_restore. Its siblings keep their order, its children stay, and its id is never reused. A file of a folder leaves the disk too, and is written back when it is restored.",
  input: v.strictObject({ block_id: blockId }),
  access: "write",
  reach: noReach,
  idempotent: false,
  inDraft: "held",
} as const satisfies ToolSpec;

export const blockRestore = {
  name: "block_restore",
  description:
    "Restores a block from the trash with its text and history, if an agent of this conversation deleted it. What people deleted only people restore.",
  input: v.strictObject({ block_id: blockId }),
  access: "write",
  reach: noReach,
  idempotent: false,
  inDraft: "not-files",
} as const satisfies ToolSpec;

const form = v.exactOptional(
  v.pipe(
    v.picklist(["update", "text"]),
    v.description(
      "update (default): changes as the text engine's bytes, in base64. text: the text of each block that changed, or what was appended to it.",
    ),
  ),
);

export const blockSync = {
  name: "block_sync",
  description:
    "For clients that keep copies of blocks: returns the changes after the given versions, and whole blocks that the client does not have. When truncated, call again with the new versions.",
  input: v.strictObject({
    versions: v.pipe(
      v.array(v.strictTuple([blockId, whole])),
      v.maxLength(10_000),
      v.description("Pairs of a block_id and the version that the caller has."),
    ),
    form,
  }),
  access: "read",
  reach: documentReach,
  idempotent: true,
} as const satisfies ToolSpec;

export const blockSubscribe = {
  name: "block_subscribe",
  description:
    "For clients that keep copies of blocks: streams every change, beginning after the given versions. An empty or absent block_ids means all blocks, including those created later.",
  input: v.strictObject({
    block_ids: v.exactOptional(v.pipe(v.array(blockId), v.maxLength(10_000))),
    from_versions: v.exactOptional(
      v.pipe(
        v.array(v.strictTuple([blockId, whole])),
        v.maxLength(10_000),
        v.description("Pairs of a block_id and the version that the caller has."),
      ),
    ),
    form,
  }),
  access: "read",
  reach: documentReach,
  idempotent: true,
} as const satisfies ToolSpec;
