import { StringDecoder } from "node:string_decoder";
import type { Readable } from "node:stream";

/** The longest line that is read, in UTF-16 units; a longer one is dropped to its end. */
const lineUnitsMax = 4 * 1024 * 1024;

/** Reads a stream line by line. Resolves when it ends. */
export function readLines(input: Readable, receive: (line: string) => void): Promise<void> {
  const decoder = new StringDecoder("utf8");
  let line = "";
  let isDropped = false;
  const add = (piece: string): void => {
    if (isDropped) return;
    isDropped = line.length + piece.length > lineUnitsMax;
    line = isDropped ? "" : line + piece;
  };
  return new Promise((resolve) => {
    input.on("data", (chunk: Buffer) => {
      const pieces = decoder.write(chunk).split("\n");
      for (const [index, piece] of pieces.entries()) {
        add(piece);
        if (index === pieces.length - 1) continue;
        if (!isDropped && line.trim() !== "") receive(line);
        line = "";
        isDropped = false;
      }
    });
    input.on("end", () => resolve());
    input.on("close", () => resolve());
    input.on("error", () => resolve());
  });
}
