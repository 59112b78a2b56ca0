import type { ForestExport, PortableBlob } from "../../../core/forest/portable.ts";

/** Each piece costs little to make, so that others have their turn between two. */
const nodesAtOnce = 200;

/**
 * The text of `exportJson` piece by piece, so that a conversation of any length can be written while others go on.
 * `blobs` are read one by one as they are written.
 */
export async function* exportPieces(
  { nodes, blobs: held = [], bookmarks, ...head }: ForestExport,
  blobs: AsyncIterable<PortableBlob> | Iterable<PortableBlob> = held,
): AsyncGenerator<string, void, undefined> {
  yield `${JSON.stringify(head, null, 2).slice(0, -2)},\n  "nodes": [`;
  for (let from = 0; from < nodes.length; from += nodesAtOnce) {
    const items = nodes.slice(from, from + nodesAtOnce).map(itemOf);
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

/** One entry of a list of the file; line ends inside of texts are written as `\n`, so all that are there are JSON's own. */
function itemOf(item: object): string {
  return `\n    ${JSON.stringify(item, null, 2).replaceAll("\n", "\n    ")}`;
}
