import type { MarkdownConfig } from "@lezer/markdown";

/** UTF-16 units of a line or a paragraph that are read for their marks; what is longer is plain text. */
export const readMax = 20_000;

/**
 * A block's inline content is parsed whole at every change, so a line of a megabyte costs a second. Longer lines are not read,
 * and longer paragraphs are cut.
 */
export const limits: MarkdownConfig = {
  defineNodes: [{ name: "LongLine", block: true }],
  parseBlock: [
    {
      name: "LongLine",
      before: "LinkReference",
      parse(cx, line) {
        if (line.text.length - line.pos <= readMax) return false;
        cx.addElement(cx.elt("LongLine", cx.lineStart + line.pos, cx.lineStart + line.text.length));
        cx.nextLine();
        return true;
      },
      endLeaf: (_cx, line, leaf) => line.text.length > readMax || leaf.content.length > readMax,
    },
  ],
};
