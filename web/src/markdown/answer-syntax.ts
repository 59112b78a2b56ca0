import type { InlineContext, MarkdownConfig } from "@lezer/markdown";

/** The longest formula that is looked for. UTF-16 units. */
const formulaMax = 10_000;

/**
 * What models write beside GitHub's Markdown: formulas as `$…$`, `$$…$$`, `\(…\)` and `\[…\]`, whose backslashes and
 * underscores are no marks, and footnotes. A price keeps its dollar sign.
 */
export const answerSyntax: MarkdownConfig = {
  defineNodes: ["Math", "FootnoteReference", { name: "FootnoteDefinition", block: true }],
  parseBlock: [
    {
      name: "FootnoteDefinition",
      before: "LinkReference",
      parse(cx, line) {
        if (!isDefinition(line.text.slice(line.pos))) return false;
        const from = cx.lineStart + line.pos;
        const to = cx.lineStart + line.text.length;
        cx.addElement(cx.elt("FootnoteDefinition", from, to, cx.parser.parseInline(line.text.slice(line.pos), from)));
        cx.nextLine();
        return true;
      },
      endLeaf: (_cx, line) => isDefinition(line.text.slice(line.pos)),
    },
  ],
  parseInline: [
    {
      name: "Math",
      before: "Escape",
      parse(cx, next, pos) {
        const end = next === backslash ? endOfBracketed(cx, pos) : next === dollar ? endOfDollars(cx, pos) : -1;
        return end === -1 ? -1 : cx.addElement(cx.elt("Math", pos, end));
      },
    },
    {
      name: "FootnoteReference",
      before: "Link",
      parse(cx, next, pos) {
        if (next !== bracket || cx.char(pos + 1) !== caret) return -1;
        const found = /^\[\^[^\]\s]{1,80}\]/u.exec(cx.slice(pos, Math.min(cx.end, pos + 90)));
        return found === null ? -1 : cx.addElement(cx.elt("FootnoteReference", pos, pos + found[0].length));
      },
    },
  ],
};

const [backslash, dollar, bracket, caret] = [0x5c, 0x24, 0x5b, 0x5e];

function isDefinition(line: string): boolean {
  return /^\[\^[^\]\s]{1,80}\]:[ \t]/u.test(line);
}

function endOfBracketed(cx: InlineContext, pos: number): number {
  const opened = cx.slice(pos + 1, Math.min(cx.end, pos + 2));
  if (opened !== "(" && opened !== "[") return -1;
  return endAfter(cx, pos + 2, opened === "(" ? "\\)" : "\\]");
}

function endOfDollars(cx: InlineContext, pos: number): number {
  if (cx.char(pos + 1) === dollar) return endAfter(cx, pos + 2, "$$");
  const found = /^\$(?=\S)(?:[^$\\\n]|\\[^\n])*?(?<=\S)\$(?!\d)/u.exec(
    cx.slice(pos, Math.min(cx.end, pos + formulaMax)),
  );
  return found === null ? -1 : pos + found[0].length;
}

/** Marks that do not occur any more in the rest of a block, so that a block of nothing but openings is searched once. */
const missing = new WeakMap<InlineContext, Set<string>>();

/** The place after a closing mark; -1 without one, or with nothing before it. */
function endAfter(cx: InlineContext, from: number, mark: string): number {
  const absent = missing.get(cx) ?? new Set<string>();
  if (absent.has(mark)) return -1;
  const at = cx.slice(from, cx.end).indexOf(mark);
  if (at === -1) missing.set(cx, absent.add(mark));
  return at < 1 || at > formulaMax ? -1 : from + at + mark.length;
}
