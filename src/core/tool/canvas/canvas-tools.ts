import * as v from "valibot";
import type { BlockId, LeaseId } from "../../base/ids.ts";
import { placeActions } from "../../block/markdown/place-edits.ts";
import { documentReach, noReach } from "../base/reach.ts";
import type { ToolSpec } from "../base/types.ts";

const leaseId = v.pipe(
  v.string(),
  v.nonEmpty(),
  v.description("From canvas_check_out."),
  v.transform((id) => id as LeaseId),
);
const lineNumber = v.pipe(v.number(), v.safeInteger(), v.minValue(1));
const startLine = v.pipe(lineNumber, v.description("First line, from 1."));
const endLine = v.pipe(lineNumber, v.description("Last line, included."));
const section = v.pipe(
  v.string(),
  v.nonEmpty(),
  v.maxLength(1_000),
  v.description(
    "A section by number (`2.1`; `0` is before the first heading) or title (`Install`, `Guide > Install`).",
  ),
);
const listItem = v.pipe(
  v.string(),
  v.regex(/^\d+(?:\.\d+)*$/),
  v.maxLength(200),
  v.description("An item by number in the section; `3.1` is the first within the third."),
);

const anchors = v.exactOptional(v.pipe(v.boolean(), v.description("Print `N:hash→` before each line.")));
const baseRevisionId = v.exactOptional(
  v.pipe(v.string(), v.description("The revision_id that the edit is based on; default: the last one you were shown.")),
);

export const canvasCheckOut = {
  name: "canvas_check_out",
  description:
    "Takes the lease of the canvas, which every other canvas tool needs; returns lease_id, title, line_count and revision_id.",
  input: v.strictObject({
    canvas_id: v.exactOptional(
      v.pipe(
        v.string(),
        v.nonEmpty(),
        v.description("Default: this conversation's canvas."),
        v.transform((id) => id as BlockId),
      ),
    ),
  }),
  access: "read",
  reach: documentReach,
  idempotent: true,
} as const satisfies ToolSpec;

export const canvasRenewLease = {
  name: "canvas_renew_lease",
  description: "Keeps the lease for another 15 seconds; every canvas call does this by itself.",
  input: v.strictObject({ lease_id: leaseId }),
  access: "read",
  reach: noReach,
  idempotent: true,
} as const satisfies ToolSpec;

export const canvasCheckIn = {
  name: "canvas_check_in",
  description: "Returns the lease. Call it when you are done; harmless when the lease has ended.",
  input: v.strictObject({ lease_id: leaseId }),
  access: "read",
  reach: noReach,
  idempotent: true,
} as const satisfies ToolSpec;

export const canvasGrep = {
  name: "canvas_grep",
  description:
    "Finds lines of the canvas: literal text, or a regular expression written /pattern/flags. Returns each line with its number and anchor.",
  input: v.strictObject({
    lease_id: leaseId,
    query: v.pipe(v.string(), v.nonEmpty(), v.maxLength(10_000)),
    max_matches: v.exactOptional(
      v.pipe(v.number(), v.safeInteger(), v.minValue(1), v.maxValue(1_000), v.description("Default 50.")),
    ),
  }),
  access: "read",
  reach: documentReach,
  idempotent: true,
} as const satisfies ToolSpec;

export const canvasOutline = {
  name: "canvas_outline",
  description: "Lists headings, list items, code blocks and tables of the canvas with their numbers and lines.",
  input: v.strictObject({
    lease_id: leaseId,
    section: v.exactOptional(v.pipe(section, v.description("Only this section; default: all."))),
    max_entries: v.exactOptional(
      v.pipe(v.number(), v.safeInteger(), v.minValue(1), v.maxValue(2_000), v.description("Default 400.")),
    ),
  }),
  access: "read",
  reach: documentReach,
  idempotent: true,
} as const satisfies ToolSpec;

export const canvasReadLines = {
  name: "canvas_read_lines",
  description: "Reads lines of the canvas, or a section or list item; with anchors to edit it.",
  input: v.strictObject({
    lease_id: leaseId,
    start_line: v.exactOptional(startLine),
    end_line: v.exactOptional(endLine),
    section: v.exactOptional(section),
    list_item: v.exactOptional(listItem),
    anchors,
  }),
  access: "read",
  reach: documentReach,
  idempotent: true,
} as const satisfies ToolSpec;

export const canvasReadAll = {
  name: "canvas_read_all",
  description: "Reads the whole canvas. For a long one, read lines.",
  input: v.strictObject({
    lease_id: leaseId,
    line_numbers: v.exactOptional(v.pipe(v.boolean(), v.description("Print `N→` before each line."))),
    anchors,
  }),
  access: "read",
  reach: documentReach,
  idempotent: true,
} as const satisfies ToolSpec;

export const canvasEdit = {
  name: "canvas_edit",
  description:
    "Edits the canvas at places that you name without retyping them. Each edit has one place (anchor, section, list_item within a section, or search) and the new text. All refer to the canvas as you read it; all apply or none.",
  input: v.strictObject({
    lease_id: leaseId,
    edits: v.pipe(
      v.array(
        v.strictObject({
          anchor: v.exactOptional(
            v.pipe(v.string(), v.description("Lines as `N:hash` or `N:hash..M:hash`, as the reads print them.")),
          ),
          section: v.exactOptional(section),
          list_item: v.exactOptional(listItem),
          search: v.exactOptional(
            v.pipe(v.string(), v.nonEmpty(), v.description("A few words that occur once, copied exactly.")),
          ),
          action: v.exactOptional(
            v.pipe(
              v.picklist(placeActions),
              v.description("Default replace; for a section that is what is below its heading."),
            ),
          ),
          text: v.exactOptional(
            v.pipe(v.string(), v.description("The new lines; for search, what takes the words' place.")),
          ),
        }),
      ),
      v.minLength(1),
      v.maxLength(200),
    ),
    base_revision_id: baseRevisionId,
  }),
  access: "write",
  reach: documentReach,
  idempotent: false,
  inDraft: "held",
} as const satisfies ToolSpec;

export const canvasApplyPatch = {
  name: "canvas_apply_patch",
  description:
    "Edits the canvas by a unified diff: for changes in many places. Context and deleted lines must match exactly; three context lines around each change. All hunks apply or none.",
  input: v.strictObject({
    lease_id: leaseId,
    patch: v.pipe(
      v.string(),
      v.nonEmpty(),
      v.description("Hunks as in `diff -u`: `@@ -12,4 +12,5 @@`, then lines that begin with a space, - or +."),
    ),
    base_revision_id: baseRevisionId,
  }),
  access: "write",
  reach: documentReach,
  idempotent: false,
  inDraft: "held",
} as const satisfies ToolSpec;

/** The canvas tools, in the order in which a model sees them. */
export const canvasTools = [
  canvasCheckOut,
  canvasOutline,
  canvasGrep,
  canvasReadLines,
  canvasReadAll,
  canvasEdit,
  canvasApplyPatch,
  canvasRenewLease,
  canvasCheckIn,
] as const satisfies readonly ToolSpec[];
