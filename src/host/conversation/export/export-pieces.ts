import type { ForestExport, PortableBlob, PortableNode } from "../../../core/forest/portable.ts";

/** Small enough that other work can run between two pieces. */
const nodesAtOnce = 200;

/** An export whose messages are not yet as the file has them: thousands of copies made at once would block others. */
export interface ExportSource<Node> {
  readonly frame: Omit<ForestExport, "nodes" | "blobs">;
  readonly nodes: readonly Node[];
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
  for (let from = 0; from < nodes.length; from += nodesAtOnce) {
    const items = nodes.slice(from, from + nodesAtOnce).map((node) => itemOf(portable(node)));
    yield `${from === 0 ? "" : ","}${items.join(",")}`;
  }
  const listed = bookmarks.map(itemOf).join(",");
  yield `${nodes.length === 0 ? "" : "\n  "}],\n  "bookmarks": [${listed}${listed === "" ? "" : "\n  "}]`;
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
