import type { BlockId } from "../base/ids.ts";
import type { ForestNode, SeenCanvas } from "./types.ts";

/** Returns the revision of a canvas that the model of a path saw last, in messages that are sent; null when it saw none. */
export function seenRevision(path: readonly ForestNode[], canvasId: BlockId): string | null {
  for (const { message, canvas, excluded, compacts } of path.toReversed()) {
    if (excluded === true || compacts?.off === true) continue;
    if (canvas?.canvasId === canvasId) return canvas.revisionId;
    if (message.role === "user" && message.update?.canvasId === canvasId) return message.update.to;
  }
  return null;
}

/** Returns the canvas of the last person's message of a path; null when it had none. */
export function lastCanvas(path: readonly ForestNode[]): SeenCanvas | null {
  return path.findLast((node) => node.canvas !== undefined)?.canvas ?? null;
}
