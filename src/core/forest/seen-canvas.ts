import type { BlockId } from "../base/ids.ts";
import type { ForestNode, SeenCanvas } from "./types.ts";

/** The revision of a canvas that the model of a path was last told of; null where it was told of none. */
export function seenRevision(path: readonly ForestNode[], canvasId: BlockId): string | null {
  for (const { message, canvas } of path.toReversed()) {
    if (canvas?.canvasId === canvasId) return canvas.revisionId;
    if (message.role === "user" && message.update?.canvasId === canvasId) return message.update.to;
  }
  return null;
}

/** The canvas that the last person's message of a path was sent about; null where none was. */
export function lastCanvas(path: readonly ForestNode[]): SeenCanvas | null {
  return path.findLast((node) => node.canvas !== undefined)?.canvas ?? null;
}
