import type { SyntaxNode, Tree } from "@lezer/common";
import { type Alignment, type MarkdownBlock, type MarkdownInline, type MarkdownItem, safeHref } from "./model.ts";
import { pictureAddress, readPictureWords } from "./picture.ts";

/** What a syntax tree is read from: its text, the addresses that references name, and what was read before. */
export interface BlockSource {
  slice(from: number, to: number): string;
  /** Returns the address that a reference names. */
  addressOf(name: string): string | undefined;
  /** Blocks by their trees: the parser gives the tree of unchanged text back. */
  readonly known: WeakMap<Tree, MarkdownBlock>;
}

// Deeper than real documents; bounds the recursion for a hostile text.
const depthMax = 60;

/** Reads one block of a syntax tree. */
export function readBlock(node: SyntaxNode, doc: BlockSource, depth = 0): MarkdownBlock {
  const { tree } = node;
  const known = tree === null ? undefined : doc.known.get(tree);
  if (known !== undefined) return known;
  const block = blockOf(node, doc, depth);
  if (tree !== null) doc.known.set(tree, block);
  return block;
}

function blockOf(node: SyntaxNode, doc: BlockSource, depth: number): MarkdownBlock {
  const source = (): string => doc.slice(node.from, node.to);
  if (depth > depthMax) return { type: "literal", text: source() };
  const heading = /^(?:ATX|Setext)Heading(\d)$/u.exec(node.name);
  if (heading !== null) {
    return { type: "heading", level: Number(heading[1]), children: readInlines(node, doc, depth) };
  }
  switch (node.name) {
    case "Paragraph":
      return { type: "paragraph", children: readInlines(node, doc, depth) };
    case "FencedCode":
    case "CodeBlock":
      return readCode(node, doc);
    case "Blockquote":
      return { type: "quote", blocks: readBlocks(node, doc, depth) };
    case "BulletList":
    case "OrderedList":
      return readList(node, doc, depth);
    case "Table":
      return readTable(node, doc, depth);
    case "FootnoteDefinition":
      return readFootnote(node, doc, depth);
    case "HorizontalRule":
      return { type: "rule" };
    default:
      return { type: "literal", text: source() };
  }
}

const marks = new Set(["QuoteMark", "ListMark", "HeaderMark", "TaskMarker", "TableDelimiter", "LinkReference"]);

function readBlocks(node: SyntaxNode, doc: BlockSource, depth: number): readonly MarkdownBlock[] {
  const blocks: MarkdownBlock[] = [];
  for (const child of childrenOf(node)) {
    if (!marks.has(child.name)) blocks.push(readBlock(child, doc, depth + 1));
  }
  return blocks;
}

function readCode(node: SyntaxNode, doc: BlockSource): MarkdownBlock {
  const info = node.getChild("CodeInfo");
  const language = info === null ? "" : (doc.slice(info.from, info.to).split(/\s/u)[0] ?? "");
  const lines = node.getChildren("CodeText").map((part) => doc.slice(part.from, part.to));
  return { type: "code", language, text: lines.join("") };
}

function readFootnote(node: SyntaxNode, doc: BlockSource, depth: number): MarkdownBlock {
  const label = /^\[\^([^\]]+)\]:\s*/u.exec(doc.slice(node.from, node.to));
  const from = node.from + (label?.[0].length ?? 0);
  return {
    type: "footnote",
    name: label?.[1] ?? "",
    children: trimmed(readRange({ parent: node, from, to: node.to }, doc, depth)),
  };
}

function readList(node: SyntaxNode, doc: BlockSource, depth: number): MarkdownBlock {
  const items: MarkdownItem[] = [];
  let start: number | null = null;
  for (const item of node.getChildren("ListItem")) {
    const mark = item.getChild("ListMark");
    if (items.length === 0 && node.name === "OrderedList") {
      const number = Number.parseInt(mark === null ? "1" : doc.slice(mark.from, mark.to), 10);
      start = Number.isNaN(number) ? 1 : number;
    }
    items.push(readItem(item, doc, depth));
  }
  return { type: "list", start, items };
}

function readItem(item: SyntaxNode, doc: BlockSource, depth: number): MarkdownItem {
  const task = item.getChild("Task");
  if (task === null) return { ticked: null, blocks: readBlocks(item, doc, depth) };
  const marker = task.getChild("TaskMarker");
  const ticked = marker !== null && /x/iu.test(doc.slice(marker.from, marker.to));
  const rest: MarkdownBlock[] = [];
  for (const child of childrenOf(item)) {
    if (child.name === "Task") rest.push({ type: "paragraph", children: readInlines(child, doc, depth) });
    else if (!marks.has(child.name)) rest.push(readBlock(child, doc, depth + 1));
  }
  return { ticked, blocks: rest };
}

function readTable(node: SyntaxNode, doc: BlockSource, depth: number): MarkdownBlock {
  const cells = (row: SyntaxNode): readonly (readonly MarkdownInline[])[] =>
    row.getChildren("TableCell").map((cell) => readInlines(cell, doc, depth));
  const header = node.getChild("TableHeader");
  // The delimiter directly below the table is the line of dashes; delimiters inside rows are bars.
  const dashes = node.getChild("TableDelimiter");
  return {
    type: "table",
    alignments: dashes === null ? [] : alignmentsOf(doc.slice(dashes.from, dashes.to)),
    head: header === null ? [] : cells(header),
    rows: node.getChildren("TableRow").map(cells),
  };
}

function alignmentsOf(dashes: string): readonly Alignment[] {
  const columns = dashes
    .trim()
    .replace(/^\||\|$/gu, "")
    .split("|");
  return columns.map((column) => {
    const left = column.trim().startsWith(":");
    const right = column.trim().endsWith(":");
    return left && right ? "center" : right ? "right" : left ? "left" : null;
  });
}

/** Reads the content of a node, between its marks. */
function readInlines(node: SyntaxNode, doc: BlockSource, depth: number): readonly MarkdownInline[] {
  return trimmed(readRange({ parent: node, from: node.from, to: node.to }, doc, depth));
}

interface Stretch {
  readonly parent: SyntaxNode;
  readonly from: number;
  readonly to: number;
}

function readRange(stretch: Stretch, doc: BlockSource, depth: number): readonly MarkdownInline[] {
  const found: MarkdownInline[] = [];
  let at = stretch.from;
  const plainUntil = (end: number): void => {
    if (end > at) addText(found, doc.slice(at, end));
  };
  for (const child of childrenOf(stretch.parent)) {
    if (child.from < stretch.from || child.to > stretch.to) continue;
    plainUntil(child.from);
    at = child.to;
    const inline = readInline(child, doc, depth + 1);
    if (typeof inline === "string") addText(found, inline);
    else if (inline !== null) found.push(inline);
  }
  plainUntil(stretch.to);
  return found;
}

function readInline(node: SyntaxNode, doc: BlockSource, depth: number): MarkdownInline | string | null {
  const source = doc.slice(node.from, node.to);
  if (depth > depthMax) return source;
  const children = (): readonly MarkdownInline[] =>
    readRange({ parent: node, from: node.from, to: node.to }, doc, depth);
  switch (node.name) {
    case "Emphasis":
      return { type: "emphasis", children: children() };
    case "StrongEmphasis":
      return { type: "strong", children: children() };
    case "Strikethrough":
      return { type: "strike", children: children() };
    case "InlineCode":
      return { type: "code", text: source.replace(/^`+|`+$/gu, "").replace(/^ (.*\S.*) $/su, "$1") };
    case "Link":
      return readLink(node, doc, depth);
    case "Image":
      return readImage(node, doc);
    case "Autolink":
    case "URL": {
      const address = source.replace(/^<|>$/gu, "");
      const href = safeHref(address);
      return href === null ? source : { type: "link", href, children: [{ type: "text", text: address }] };
    }
    case "Math": {
      const wide = source.startsWith("$$") || source.startsWith("\\");
      const ends = wide ? 2 : 1;
      const display = source.startsWith("$$") || source.startsWith("\\[");
      return { type: "math", text: source.slice(ends, -ends).trim(), display };
    }
    case "FootnoteReference":
      return { type: "footnote", name: source.slice(2, -1) };
    case "HardBreak":
      return { type: "break" };
    case "Escape":
      return source.slice(1);
    case "Entity":
      return decodeEntity(source);
    case "EmphasisMark":
    case "StrikethroughMark":
    case "HeaderMark":
    case "QuoteMark":
    case "TaskMarker":
      return null;
    default:
      return source;
  }
}

function readLink(node: SyntaxNode, doc: BlockSource, depth: number): MarkdownInline | string {
  const source = doc.slice(node.from, node.to);
  const [open, close] = node.getChildren("LinkMark");
  const address = addressOf(node, doc);
  const href = address === null ? null : safeHref(address);
  if (open === undefined || close === undefined) return source;
  const stretch = { parent: node, from: open.to, to: close.from };
  // An unsafe link is shown as written, so that nothing is hidden.
  if (href === null) return source;
  return { type: "link", href, children: readRange(stretch, doc, depth) };
}

function readImage(node: SyntaxNode, doc: BlockSource): MarkdownInline {
  const [open, close] = node.getChildren("LinkMark");
  const alt = open === undefined || close === undefined ? "" : doc.slice(open.to, close.from);
  const address = addressOf(node, doc);
  if (address !== null && pictureAddress(address) !== null)
    return { type: "picture", address, ...readPictureWords(alt) };
  return { type: "image", alt, href: address === null ? null : safeHref(address) };
}

function addressOf(node: SyntaxNode, doc: BlockSource): string | null {
  const url = node.getChild("URL");
  if (url !== null) return doc.slice(url.from, url.to).replace(/^<|>$/gu, "");
  const label = node.getChild("LinkLabel");
  const [open, close] = node.getChildren("LinkMark");
  const written = label === null ? "" : doc.slice(label.from + 1, label.to - 1);
  const name =
    written !== "" ? written : open === undefined || close === undefined ? "" : doc.slice(open.to, close.from);
  return doc.addressOf(referenceName(name)) ?? null;
}

/** Normalizes a reference label: without brackets, case or repeated blanks. */
export function referenceName(label: string): string {
  return label
    .replace(/^\[|\]$/gu, "")
    .replace(/\s+/gu, " ")
    .trim()
    .toLowerCase();
}

const entities: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  apos: "'",
  nbsp: "\u00A0",
  hellip: "…",
  ndash: "–",
  mdash: "—",
  copy: "©",
  times: "×",
  rarr: "→",
  larr: "←",
};

function decodeEntity(source: string): string {
  const numeric = /^&#(?:x([0-9a-f]+)|(\d+));$/iu.exec(source);
  if (numeric === null) return entities[source.slice(1, -1)] ?? source;
  const point = numeric[1] === undefined ? Number(numeric[2]) : Number.parseInt(numeric[1], 16);
  const shown = point > 0 && point <= 0x10ffff && !(point >= 0xd800 && point <= 0xdfff);
  return shown ? String.fromCodePoint(point) : "\uFFFD";
}

function addText(found: MarkdownInline[], text: string): void {
  const last = found.at(-1);
  if (last?.type === "text") found[found.length - 1] = { type: "text", text: last.text + text };
  else if (text !== "") found.push({ type: "text", text });
}

/** Removes the blanks that marks leave at both ends. */
function trimmed(inlines: readonly MarkdownInline[]): readonly MarkdownInline[] {
  const result = [...inlines];
  const first = result[0];
  if (first?.type === "text") result[0] = { type: "text", text: first.text.trimStart() };
  const last = result.at(-1);
  if (last?.type === "text") result[result.length - 1] = { type: "text", text: last.text.trimEnd() };
  return result.filter((inline) => inline.type !== "text" || inline.text !== "");
}

function childrenOf(node: SyntaxNode): readonly SyntaxNode[] {
  const children: SyntaxNode[] = [];
  for (let child = node.firstChild; child !== null; child = child.nextSibling) children.push(child);
  return children;
}
