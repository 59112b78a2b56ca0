import { type SyntaxNode, type Tree, TreeFragment } from "@lezer/common";
import { GFM, parser } from "@lezer/markdown";
import { answerSyntax } from "./answer-syntax.ts";
import { limits } from "./long-lines.ts";
import type { MarkdownBlock } from "./model.ts";
import { type BlockSource, readBlock, referenceName } from "./read-block.ts";

const markdownParser = parser.configure([GFM, limits, answerSyntax]);

/** Blocks that are drawn together, so that a growing text draws one group and not all its blocks. */
export type BlockGroup = readonly MarkdownBlock[];

const groupSize = 16;

/** Addresses by reference name. */
type References = ReadonlyMap<string, string>;

/** A block that no continuation of the text changes, but for the addresses of the references that it names. */
interface FinishedBlock {
  readonly block: MarkdownBlock;
  readonly from: number;
  readonly to: number;
  readonly names: readonly string[];
}

/** The blocks with a later block below them, and the definitions among them. */
interface Finished {
  readonly blocks: readonly FinishedBlock[];
  readonly references: References;
}

/** The end of a text, from its last blocks on: only these can change when the text continues. */
interface Tail {
  readonly from: number;
  readonly fragments: readonly TreeFragment[];
  readonly known: WeakMap<Tree, MarkdownBlock>;
  readonly blocks: readonly TailBlock[];
}

/** A block at the end. The parser reads short ends as a whole, so a block is known again by its source. */
interface TailBlock {
  readonly block: MarkdownBlock;
  readonly source: string;
}

/**
 * A parsed text, with the state to parse its continuation quickly. It holds one copy of the text, however many
 * continuations led to it.
 */
export interface ReadMarkdown {
  readonly text: string;
  /** Unchanged blocks and groups keep their identity, so that only new ones are rendered. */
  readonly groups: readonly BlockGroup[];
  readonly references: References;
  readonly finished: Finished;
  readonly tail: Tail;
}

const nothing: ReadMarkdown = {
  text: "",
  groups: [],
  references: new Map(),
  finished: { blocks: [], references: new Map() },
  tail: { from: 0, fragments: [], known: new WeakMap(), blocks: [] },
};

/** Parses Markdown. `before` is the result for an earlier text; when this text continues it, only its end is parsed. */
export function readMarkdown(text: string, before: ReadMarkdown = nothing): ReadMarkdown {
  if (before.text === text) return before;
  return continuation(text, continues(text, before.text) ? before : nothing);
}

// Compares memory; startsWith compares units one by one, which costs a millisecond for a long reply.
function continues(text: string, before: string): boolean {
  return text.slice(0, before.length) === before;
}

/** Returns the blocks of a text in order. */
export function blocksOf({ groups }: ReadMarkdown): readonly MarkdownBlock[] {
  return groups.flat();
}

function continuation(text: string, before: ReadMarkdown): ReadMarkdown {
  const { from, fragments } = before.tail;
  const grownAt = before.text.length - from;
  const source = text.slice(from);
  const grown = { fromA: grownAt, toA: grownAt, fromB: grownAt, toB: source.length };
  const tree = markdownParser.parse(source, TreeFragment.applyChanges(fragments, [grown]));
  const nodes = topNodes(tree);
  const references = withDefinitions(before.finished.references, nodes, source);
  const same = equalReferences(before.references, references);
  const doc = blockSource(source, references, same ? before.tail.known : new WeakMap());
  const read = nodes.map((node, index): ReadNode => {
    const written = `${node.name}\n${source.slice(node.from, node.to)}`;
    const old = same ? before.tail.blocks[index] : undefined;
    return old?.source === written ? { node, ...old } : { node, source: written, block: readBlock(node, doc) };
  });
  const earlier = same ? before.finished : withAddresses(before, { text, references });
  const closed = closedCount(nodes, source);
  const cut = closed === 0 ? 0 : lineStart(source, nodes[closed]?.from ?? 0);
  const finished = withFinished(earlier, read.slice(0, closed), { source, from });
  const blocks = [...finished.blocks.map(({ block }) => block), ...shown(read.slice(closed)).map(({ block }) => block)];
  return {
    text,
    groups: grouped(blocks, before.groups),
    references,
    finished,
    tail: {
      from: from + cut,
      fragments: TreeFragment.applyChanges(TreeFragment.addTree(tree), [{ fromA: 0, toA: cut, fromB: 0, toB: 0 }]),
      known: doc.known,
      blocks: read.slice(closed).map(({ block, source: written }) => ({ block, source: copied(written) })),
    },
  };
}

/**
 * Returns how many blocks no continuation changes. The last one grows, and the one before it may still become a part of it,
 * unless it is a paragraph or a heading with an empty line below it.
 */
function closedCount(nodes: readonly SyntaxNode[], source: string): number {
  const last = nodes.at(-1);
  const before = nodes.at(-2);
  if (last === undefined || before === undefined) return 0;
  const isEnded =
    (before.name === "Paragraph" || before.name.startsWith("ATXHeading")) &&
    /\n[ \t]*\n/u.test(source.slice(before.to, last.from));
  return nodes.length - (isEnded ? 1 : 2);
}

interface ReadNode extends TailBlock {
  readonly node: SyntaxNode;
}

function shown(read: readonly ReadNode[]): readonly ReadNode[] {
  return read.filter(({ node }) => node.name !== "LinkReference");
}

/** Adds blocks that have later ones below them. */
function withFinished(
  finished: Finished,
  closed: readonly ReadNode[],
  { source, from }: { readonly source: string; readonly from: number },
): Finished {
  if (closed.length === 0) return finished;
  const added = shown(closed).map(({ node, block }) => ({
    block,
    from: from + lineStart(source, node.from),
    to: from + node.to,
    names: namesIn(node, source),
  }));
  const nodes = closed.map(({ node }) => node);
  return {
    blocks: [...finished.blocks, ...added],
    references: withDefinitions(finished.references, nodes, source),
  };
}

/** Reads those finished blocks again that name references whose addresses have changed. */
function withAddresses(
  before: ReadMarkdown,
  { text, references }: { readonly text: string; readonly references: References },
): Finished {
  const changed = (name: string): boolean => before.references.get(name) !== references.get(name);
  const blocks = before.finished.blocks.map((entry) => {
    if (!entry.names.some(changed)) return entry;
    const source = text.slice(entry.from, entry.to);
    const node = markdownParser.parse(source).topNode.firstChild;
    return node === null ? entry : { ...entry, block: readBlock(node, blockSource(source, references)) };
  });
  return { ...before.finished, blocks };
}

/** Returns the names of the references in a block, with or without a definition. */
function namesIn(node: SyntaxNode, source: string): readonly string[] {
  if (!source.slice(node.from, node.to).includes("[")) return [];
  const names = new Set<string>();
  const recording = { get: (name: string) => void names.add(name) };
  readBlock(node, blockSource(source, recording));
  return [...names].map(copied);
}

function blockSource(
  source: string,
  references: { get(name: string): string | undefined },
  known: WeakMap<Tree, MarkdownBlock> = new WeakMap(),
): BlockSource {
  return {
    slice: (from, to) => copied(source.slice(from, to)),
    addressOf: (name) => references.get(name),
    known,
  };
}

/**
 * Returns a text that shares no memory with the one that it was cut from. V8's slices keep the whole text alive, and a growing
 * reply would be kept once for each of its blocks.
 */
function copied(slice: string): string {
  return ` ${slice}`.slice(1);
}

/** Puts blocks into groups; a group with the same blocks as before is the same group. */
function grouped(blocks: readonly MarkdownBlock[], before: readonly BlockGroup[]): readonly BlockGroup[] {
  const groups: BlockGroup[] = [];
  for (let at = 0; at < blocks.length; at += groupSize) {
    const group = blocks.slice(at, at + groupSize);
    const old = before[groups.length];
    const same = old?.length === group.length && group.every((block, index) => block === old[index]);
    groups.push(same ? old : group);
  }
  return groups;
}

function lineStart(text: string, at: number): number {
  return text.lastIndexOf("\n", at - 1) + 1;
}

function topNodes(tree: Tree): readonly SyntaxNode[] {
  const nodes: SyntaxNode[] = [];
  for (let node = tree.topNode.firstChild; node !== null; node = node.nextSibling) nodes.push(node);
  return nodes;
}

/** Adds the definitions among nodes; the first one of a name counts. */
function withDefinitions(known: References, nodes: readonly SyntaxNode[], source: string): References {
  const definitions = nodes.filter(({ name }) => name === "LinkReference");
  if (definitions.length === 0) return known;
  const references = new Map(known);
  for (const node of definitions) {
    const label = node.getChild("LinkLabel");
    const url = node.getChild("URL");
    if (label === null || url === null) continue;
    const name = copied(referenceName(source.slice(label.from, label.to)));
    const address = copied(source.slice(url.from, url.to).replace(/^<|>$/gu, ""));
    if (!references.has(name)) references.set(name, address);
  }
  return references;
}

function equalReferences(a: References, b: References): boolean {
  if (a === b) return true;
  if (a.size !== b.size) return false;
  for (const [name, address] of a) if (b.get(name) !== address) return false;
  return true;
}
