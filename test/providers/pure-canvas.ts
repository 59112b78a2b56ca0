import { textAt } from "../../src/adapters/providers/shared/json-read.ts";
import type { JsonObject } from "../../src/core/base/json.ts";
import { planPatch } from "../../src/core/block/patch/apply.ts";
import type { TextChange } from "../../src/core/text/types.ts";

/**
 * A canvas in memory, for driving a model: one text, one lease, and the tools' answers as in the founding documents.
 */
export interface PureCanvas {
  text: string;
  /** Refusals to return instead of a tool's next answers, in order. */
  readonly refusals: { tool: string; code: string; details?: JsonObject }[];
  /** Called before every tool; may change the text as a person would. */
  meddle: (tool: string) => void;
  readonly log: string[];
  /** Faults of patches that did not apply. */
  readonly rejections: unknown[];
  lease: string | undefined;
  leases: number;
  edits: number;
}

export function pureCanvas(text: string): PureCanvas {
  return {
    text,
    refusals: [],
    meddle: () => undefined,
    log: [],
    rejections: [],
    lease: undefined,
    leases: 0,
    edits: 0,
  };
}

export const canvasTools = [
  "canvas_check_out",
  "canvas_renew_lease",
  "canvas_check_in",
  "canvas_grep",
  "canvas_read_lines",
  "canvas_read_all",
  "canvas_apply_patch",
].map((name) => ({ name, description: name, inputSchema: { type: "object" } }));

export function runCanvasTool(canvas: PureCanvas, name: string, parameters: JsonObject): JsonObject {
  canvas.log.push(name);
  canvas.meddle(name);
  const planned = canvas.refusals.findIndex((entry) => entry.tool === name);
  if (planned !== -1) {
    const [entry] = canvas.refusals.splice(planned, 1);
    if (entry?.code === "LEASE_EXPIRED") canvas.lease = undefined;
    return refusal(entry?.code ?? "", entry?.details);
  }
  if (name === "canvas_check_out") {
    canvas.leases += 1;
    canvas.lease = `lease-${canvas.leases}`;
    return {
      ok: true,
      lease_id: canvas.lease,
      revision_id_at_checkout: revision(canvas),
      canvas_epoch: 1,
      expires_at: 0,
      revision_id: revision(canvas),
    };
  }
  if (parameters["lease_id"] !== canvas.lease) return refusal("LOCK_NOT_OWNED");
  const lines = linesOf(canvas.text);
  const common = { ok: true, revision_id: revision(canvas) };
  switch (name) {
    case "canvas_check_in":
      canvas.lease = undefined;
      return common;
    case "canvas_grep": {
      const query = textAt(parameters, "query") ?? "";
      if (query === "") return refusal("INVALID_PARAMS");
      const regex = /^\/(.+)\/([a-z]*)$/u.exec(query);
      const test =
        regex === null
          ? (line: string) => line.includes(query)
          : (line: string) => new RegExp(regex[1] ?? "", regex[2]).test(line);
      const matches = lines.flatMap((text, at) => (test(text) ? [{ line: at + 1, text }] : []));
      return { ...common, matches, truncated: false };
    }
    case "canvas_read_lines": {
      const from = Number(parameters["start_line"]);
      const to = Math.min(Number(parameters["end_line"]), lines.length);
      if (from < 1 || to < from) return refusal("LINE_OUT_OF_RANGE", { max: lines.length });
      return {
        ...common,
        text: lines.slice(from - 1, to).join("\n"),
        start_line: from,
        end_line: to,
        line_count: lines.length,
      };
    }
    case "canvas_read_all":
      return { ...common, text: canvas.text, line_count: lines.length };
    case "canvas_apply_patch": {
      if (parameters["base_revision_id"] !== revision(canvas)) return refusal("PATCH_REJECTED", { reason: "stale" });
      const applied = applyStrictly(canvas.text, textAt(parameters, "patch") ?? "");
      if (typeof applied !== "string") {
        canvas.rejections.push(applied);
        return refusal("PATCH_REJECTED", applied);
      }
      // Heddle's own engine decides about the last line's end; the strict reading must agree with it about everything
      // else.
      const planned = planPatch(canvas.text, textAt(parameters, "patch") ?? "");
      const engine = planned.ok ? afterChanges(canvas.text, planned.value.changes) : applied;
      if (
        !planned.ok ||
        planned.value.warnings.length > 0 ||
        linesOf(engine).join("\n") !== linesOf(applied).join("\n")
      ) {
        canvas.rejections.push(planned);
      }
      canvas.text = engine;
      canvas.edits += 1;
      return { ...common, applied_hunks: 1, new_revision_id: revision(canvas), revision_id: revision(canvas) };
    }
    default:
      return refusal("UNKNOWN_TOOL");
  }
}

/** The result of Heddle's own patch engine. */
function afterChanges(text: string, changes: readonly TextChange[]): string {
  let result = "";
  let at = 0;
  for (const { from, to, insert } of changes) {
    result += text.slice(at, from) + insert;
    at = to;
  }
  return result + text.slice(at);
}

function refusal(code: string, details: JsonObject = {}): JsonObject {
  return { ok: false, code, message: `Refused: ${code}.`, details };
}

function revision(canvas: PureCanvas): string {
  let hash = 7;
  for (const char of canvas.text) hash = (hash * 31 + (char.codePointAt(0) ?? 0)) % 1_000_003;
  return `${canvas.edits}-${hash}`;
}

export function linesOf(text: string): readonly string[] {
  if (text === "") return [];
  const lines = text.split("\n").map((line, at, all) => (at < all.length - 1 ? line.replace(/\r$/u, "") : line));
  return lines.at(-1) === "" ? lines.slice(0, -1) : lines;
}

/** Applies a unified diff with exact positions, counts and lines; returns facts about the first fault otherwise. */
function applyStrictly(text: string, patch: string): string | JsonObject {
  const end = text.split("\r\n").length * 2 > text.split("\n").length + 1 ? "\r\n" : "\n";
  const pieces = text.match(/[^\n]*\n|[^\n]+$/gu) ?? [];
  const result: string[] = [];
  let at = 0;
  const rows = patch.split("\n");
  if (rows.pop() !== "") return { fault: "no final newline" };
  let shift = 0;
  for (let row = 0; row < rows.length;) {
    const header = /^@@ -(\d+),(\d+) \+(\d+),(\d+) @@$/u.exec(rows[row] ?? "");
    if (header === null) return { fault: `no header: ${rows[row] ?? ""}` };
    const [oldStart = 0, oldCount = 0, newStart = 0, newCount = 0] = header.slice(1).map(Number);
    row += 1;
    const start = oldCount === 0 ? oldStart : oldStart - 1;
    if (start < at) return { fault: "hunks overlap" };
    result.push(...pieces.slice(at, start));
    at = start;
    if ((newCount === 0 ? newStart : newStart - 1) !== start + shift) return { fault: `new start ${newStart}` };
    let before = 0;
    let after = 0;
    let leading = 0;
    let changed = false;
    while (row < rows.length && !rows[row]?.startsWith("@@")) {
      const line = rows[row] ?? "";
      const said = line.slice(1);
      row += 1;
      if (line.startsWith(" ") || line.startsWith("-")) {
        const piece = pieces[at];
        if (piece === undefined || piece.replace(/\r?\n$/u, "") !== said)
          return { fault: `line ${at + 1} is not ${said}` };
        at += 1;
        before += 1;
        if (line.startsWith(" ")) {
          if (!changed) leading += 1;
          result.push(piece);
          after += 1;
        } else {
          changed = true;
        }
      } else if (line.startsWith("+")) {
        const last = result.at(-1);
        if (last !== undefined && !last.endsWith("\n")) result[result.length - 1] = last + end;
        result.push(said + end);
        after += 1;
        changed = true;
      } else {
        return { fault: `bad line ${line}` };
      }
    }
    if (before !== oldCount || after !== newCount || !changed) return { fault: "counts", before, after };
    if (leading < Math.min(3, start)) return { fault: `only ${leading} lines of context` };
    shift += after - before;
  }
  result.push(...pieces.slice(at));
  return result.join("");
}
