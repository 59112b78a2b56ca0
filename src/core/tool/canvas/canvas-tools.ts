import * as v from "valibot";
import type { BlockId, LeaseId } from "../../base/ids.ts";
import { documentReach, noReach } from "../base/reach.ts";
import type { ToolSpec } from "../base/types.ts";

const leaseId = v.pipe(
  v.string(),
  v.nonEmpty(),
  v.description("The lease_id that canvas_check_out returned."),
  v.transform((id) => id as LeaseId),
);
const lineNumber = v.pipe(v.number(), v.safeInteger(), v.minValue(1));
const startLine = v.pipe(lineNumber, v.description("First line, from 1."));
const endLine = v.pipe(lineNumber, v.description("Last line, included; a number beyond the end means the last line."));
const section = v.pipe(
  v.string(),
  v.nonEmpty(),
  v.maxLength(1_000),
  v.description(
    "A section by its number in canvas_outline (`2.1`; `0` is the part before the first heading) or by its title; where titles repeat, precede it by the titles around it: `Guide > Install`.",
  ),
);
const listItem = v.pipe(
  v.string(),
  v.regex(/^\d+(?:\.\d+)*$/),
  v.maxLength(200),
  v.description("A list item by its number in the section, from 1; `3.1` is the first item within the third."),
);

export const canvasCheckOut = {
  name: "canvas_check_out",
  description:
    "Takes the lease of the canvas, which every other canvas tool needs, and returns lease_id, title, line_count and revision_id. The lease ends 15 seconds after your last activity, by canvas_check_in, or at once when a person takes over.",
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
  description: "Keeps the lease for another 15 seconds. Every canvas call does this; call it only for long pauses.",
  input: v.strictObject({ lease_id: leaseId }),
  access: "read",
  reach: noReach,
  idempotent: true,
} as const satisfies ToolSpec;

export const canvasCheckIn = {
  name: "canvas_check_in",
  description:
    "Returns the lease. Call it as soon as you are done with the canvas; harmless when the lease has already ended.",
  input: v.strictObject({ lease_id: leaseId }),
  access: "read",
  reach: noReach,
  idempotent: true,
} as const satisfies ToolSpec;

export const canvasGrep = {
  name: "canvas_grep",
  description:
    "Finds lines of the canvas to edit: literal text, or a regular expression written /pattern/flags. Returns each line with its number from 1. No match returns an empty list.",
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
  description:
    "Lists the structure of the canvas: headings, list items, code blocks and tables with their lines, counted from 1, ends included. canvas_read_lines takes the numbers of sections and list items.",
  input: v.strictObject({
    lease_id: leaseId,
    section: v.exactOptional(v.pipe(section, v.description("List only this section; default: all."))),
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
  description:
    "Reads lines of the canvas, counted from 1, both ends included; or a section or list item by its address instead. Read the lines you are about to edit.",
  input: v.strictObject({
    lease_id: leaseId,
    start_line: v.exactOptional(startLine),
    end_line: v.exactOptional(endLine),
    section: v.exactOptional(section),
    list_item: v.exactOptional(listItem),
    anchors: v.exactOptional(v.pipe(v.boolean(), v.description("Print `N:hash→` before each line; default false."))),
  }),
  access: "read",
  reach: documentReach,
  idempotent: true,
} as const satisfies ToolSpec;

export const canvasReadAll = {
  name: "canvas_read_all",
  description: "Reads the whole canvas. Prefer canvas_grep and canvas_read_lines for a long one.",
  input: v.strictObject({
    lease_id: leaseId,
    line_numbers: v.exactOptional(v.pipe(v.boolean(), v.description("Print `N→` before each line; default false."))),
  }),
  access: "read",
  reach: documentReach,
  idempotent: true,
} as const satisfies ToolSpec;

export const canvasApplyPatch = {
  name: "canvas_apply_patch",
  description:
    "Edits the canvas by a unified diff. Context and deleted lines must match the canvas exactly; give three context lines around each change. All hunks apply or none. A refusal shows the actual lines: correct the patch and send it again. Line numbers change with every patch.",
  input: v.strictObject({
    lease_id: leaseId,
    patch: v.pipe(
      v.string(),
      v.nonEmpty(),
      v.description("Hunks as in `diff -u`: `@@ -12,4 +12,5 @@`, then lines that begin with a space, - or +."),
    ),
    base_revision_id: v.exactOptional(
      v.pipe(
        v.string(),
        v.description("The revision_id that the patch is based on; default: the last one you were shown."),
      ),
    ),
  }),
  access: "write",
  reach: documentReach,
  idempotent: false,
} as const satisfies ToolSpec;

/** The canvas tools, in the order in which a model sees them. */
export const canvasTools = [
  canvasCheckOut,
  canvasOutline,
  canvasGrep,
  canvasReadLines,
  canvasReadAll,
  canvasApplyPatch,
  canvasRenewLease,
  canvasCheckIn,
] as const satisfies readonly ToolSpec[];
