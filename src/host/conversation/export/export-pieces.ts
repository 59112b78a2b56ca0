import type { ForestExport, PortableBlob, PortableNode } from "../../../core/forest/portable.ts";

/** An export whose messages are not yet as the file has them: thousands of copies made at once would block others. */
export interface ExportSource<Node> {
  readonly frame: Omit<ForestExport, "nodes" | "blobs">;
  /** In parts, each small enough that other work can run between two. */
  readonly nodes: Iterable<readonly Node[]> | AsyncIterable<readonly Node[]>;
  readonly portable: (node: Node) => PortableNode;
  readonly blobs: AsyncIterable<PortableBlob> | Iterable<PortableBlob>;
}

/**
 * The text of `exportJson` in pieces, so that a conversation of any length is written without blocking other work. Each blob
 * is read when it is written.
 */
export async function* exportPieces<Node>({
  frame: { bookmarks, ...head },
  nodes,
  portable,
  blobs,
}: ExportSource<Node>): AsyncGenerator<string, void, undefined> {
  yield `${JSON.stringify(head, null, 2).slice(0, -2)},\n  "nodes": [`;
  let written = 0;
  for await (const part of nodes) {
    if (part.length === 0) continue;
    yield `${written === 0 ? "" : ","}${part.map((node) => itemOf(portable(node))).join(",")}`;
    written += part.length;
  }
  const listed = bookmarks.map(itemOf).join(",");
  yield `${written === 0 ? "" : "\n  "}],\n  "bookmarks": [${listed}${listed === "" ? "" : "\n  "}]`;
  let count = 0;
  for await (const blob of blobs) {
    yield `${count === 0 ? ',\n  "blobs": [' : ","}${itemOf(blob)}`;
    count += 1;
  }
  yield `${count === 0 ? "" : "\n  ]"}\n}\n`;
}

/** One entry of a list in the file. Line ends inside texts are escaped as `\n`, so every real line end is JSON's own. */
function itemOf(item: object): string {
  return `\n    ${JSON.stringify(item, null, 2).replaceAll("\n", "\n    ")}`;
}
