import type { Clause } from "./grammar.ts";
import { findHeading, sectionEnd } from "./outline.ts";
import { type Decision, editDecision } from "./decision.ts";
import { seeOutline, type View } from "./view.ts";

/** Adds an item to the last list of a section or of the document; starts a list where there is none. */
export function addItem(clause: Extract<Clause, { readonly type: "add-item" }>, view: View): Decision {
  const seen = seeOutline(view);
  if (seen.type === "look") return seen;
  const { headings, blocks, firstLine } = seen.outline;
  const lineCount = view.lineCount ?? 0;
  const heading = clause.heading === undefined ? undefined : findHeading(headings, clause.heading);
  if (clause.heading !== undefined && heading === undefined)
    return { type: "cannot", why: `I found no heading “${clause.heading}”.` };
  const from = heading === undefined ? firstLine : heading.endLine + 1;
  const to = heading === undefined ? lineCount : sectionEnd(headings, heading, lineCount);
  const line = (at: number): string => view.lines.get(at) ?? "";
  const list = blocks.findLast((block) => block.type === "list" && block.from >= from && block.to <= to);
  const where = heading === undefined ? "" : ` to “${heading.text}”`;
  const done = `added the ${clause.task ? "task" : "item"} “${clause.text}”${where}`;
  const text = `${clause.task ? "[ ] " : ""}${clause.text}`;
  if (list !== undefined) {
    const stretch = Array.from({ length: list.to - list.from + 1 }, (_, at) => line(list.from + at));
    return editDecision(
      view,
      lineCount,
      [{ from: list.to + 1, remove: 0, insert: [`${nextMarker(stretch)}${text}`] }],
      done,
    );
  }
  let at = to + 1;
  while (at > from && line(at - 1).trim() === "") at -= 1;
  const before = at > 1 && line(at - 1).trim() !== "" ? [""] : [];
  const after = at <= lineCount && line(at).trim() !== "" ? [""] : [];
  return editDecision(view, lineCount, [{ from: at, remove: 0, insert: [...before, `- ${text}`, ...after] }], done);
}

/** The marker of a new item at the outermost level of a list: that of the last item, incremented if it is a number. */
function nextMarker(lines: readonly string[]): string {
  const markers = lines.flatMap((line) => {
    const found = /^(\s*)([-+*]|(\d{1,9})([.)]))(\s+|$)/u.exec(line);
    return found === null
      ? []
      : [
          {
            indent: found[1] ?? "",
            mark: found[2] ?? "-",
            number: found[3],
            after: found[4] ?? "",
            gap: found[5] ?? " ",
          },
        ];
  });
  const outermost = Math.min(...markers.map((marker) => marker.indent.length));
  const last = markers.findLast((marker) => marker.indent.length === outermost);
  if (last === undefined) return "- ";
  const mark = last.number === undefined ? last.mark : `${Number(last.number) + 1}${last.after}`;
  return `${last.indent}${mark}${last.gap === "" ? " " : last.gap}`;
}
