import { type SyntaxNode, type Tree, TreeFragment } from "@lezer/common";
import { GFM, parser } from "@lezer/markdown";
import { assert } from "../../../src/core/base/assert.ts";
import type { MarkdownBlock } from "./model.ts";
import { readBlock, referenceName, type References } from "./read-block.ts";

const markdownParser = parser.configure(GFM);

/** A parsed text, with the state to parse its continuation quickly. */
export interface ReadMarkdown {
  readonly text: string;
  /** Unchanged blocks keep their identity, so that only new ones are rendered. */
  readonly blocks: readonly MarkdownBlock[];
  readonly tree: Tree;
  readonly fragments: readonly TreeFragment[];
  readonly sources: readonly string[];
  readonly references: References;
}

/** Parses Markdown. `before` is the result for an earlier text; when this text continues it, only its end is parsed. */
export function readMarkdown(text: string, before?: ReadMarkdown): ReadMarkdown {
  if (before !== undefined && before.text === text) return before;
  const continued = before !== undefined && text.startsWith(before.text);
  const fragments = continued
    ? TreeFragment.applyChanges(before.fragments, [
        { fromA: before.text.length, toA: before.text.length, fromB: before.text.length, toB: text.length },
      ])
    : [];
  const tree = markdownParser.parse(text, fragments);
  const nodes = topNodes(tree);
  const references = referencesOf(nodes, text);
  const sameReferences = before !== undefined && equalReferences(before.references, references);
  const blocks: MarkdownBlock[] = [];
  const sources: string[] = [];
  for (const node of nodes) {
    if (node.name === "LinkReference") continue;
    // While the text grows, two kinds can have the same source, so the kind is part of the key.
    const source = `${node.name}\n${text.slice(node.from, node.to)}`;
    const known = sameReferences && before.sources[blocks.length] === source ? before.blocks[blocks.length] : undefined;
    blocks.push(known ?? readBlock(node, text, references));
    sources.push(source);
  }
  assert(blocks.length === sources.length, "every block has its source");
  return { text, blocks, tree, fragments: TreeFragment.addTree(tree, fragments), sources, references };
}

function topNodes(tree: Tree): readonly SyntaxNode[] {
  const nodes: SyntaxNode[] = [];
  for (let node = tree.topNode.firstChild; node !== null; node = node.nextSibling) nodes.push(node);
  return nodes;
}

function referencesOf(nodes: readonly SyntaxNode[], text: string): References {
  const references = new Map<string, string>();
  for (const node of nodes) {
    if (node.name !== "LinkReference") continue;
    const label = node.getChild("LinkLabel");
    const url = node.getChild("URL");
    if (label === null || url === null) continue;
    const name = referenceName(text.slice(label.from, label.to));
    if (!references.has(name)) references.set(name, text.slice(url.from, url.to).replace(/^<|>$/gu, ""));
  }
  return references;
}

function equalReferences(a: References, b: References): boolean {
  if (a.size !== b.size) return false;
  for (const [name, address] of a) if (b.get(name) !== address) return false;
  return true;
}
