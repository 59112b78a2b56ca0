import type { Input } from "@lezer/common";
import { tags } from "@lezer/highlight";
import type { BlockContext, MarkdownConfig } from "@lezer/markdown";

/** How far its end may be, in UTF-16 units: a parse must not read a long text because it begins with a rule. */
const readMax = 100_000;
const beginning = /^---\s*$/;
const end = /\n(?:---|\.\.\.)\s*?(?:\n|$)/;

/**
 * Reads the metadata at the beginning of a text, between `---` and `---` or `...`, as one block, as the server's outline does:
 * otherwise it is a rule, and a heading of all its lines.
 */
export const frontMatter: MarkdownConfig = {
  defineNodes: [{ name: "FrontMatter", block: true, style: tags.meta }],
  parseBlock: [
    {
      name: "FrontMatter",
      before: "IndentedCode",
      parse(cx, line) {
        if (cx.lineStart !== 0 || cx.depth > 1 || !beginning.test(line.text)) return false;
        const text = textOf(cx);
        const found = end.exec(text);
        if (found === null) return false;
        const lines = text.slice(0, found.index + 1).split("\n").length - 1;
        for (let read = 0; read < lines; read += 1) cx.nextLine();
        cx.addElement(cx.elt("FrontMatter", 0, cx.lineStart + line.text.length));
        cx.nextLine();
        return true;
      },
    },
  ],
};

/** The beginning of the text that is parsed: the parser has it, but shows block parsers no more than the next line. */
function textOf(cx: BlockContext): string {
  const { input } = cx as unknown as { readonly input: Input };
  return input.read(0, Math.min(input.length, readMax));
}
