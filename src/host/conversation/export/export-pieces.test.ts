import fc from "fast-check";
import { expect, test } from "vitest";
import type { ActorId } from "../../../core/base/ids.ts";
import { exportJson } from "../../../core/forest/export.ts";
import { exportPieces } from "./export-pieces.ts";
import { exportFormat, exportVersion, type ForestExport } from "../../../core/forest/portable.ts";

const actor = { type: "person", id: "ada" as ActorId, name: "Ada" } as const;

function exported(texts: readonly string[], titles: readonly string[], blobs: readonly string[]): ForestExport {
  return {
    format: exportFormat,
    version: exportVersion,
    root: { title: texts[0] ?? "", systemPrompt: "Be\nbrief.", model: "a/b" },
    nodes: texts.map((text, index) => ({
      id: `n${index}`,
      parentId: index === 0 ? null : `n${index - 1}`,
      message: { role: "user", content: [{ type: "text", text }] },
      actor,
      usage: null,
      createdAt: index,
    })),
    bookmarks: titles.map((title) => ({ title, nodeId: null, createdAt: 1, updatedAt: 1 })),
    ...(blobs.length === 0 ? {} : { blobs: blobs.map((data, index) => ({ id: `b${index}`, data })) }),
  };
}

function piecesOf({ nodes, blobs = [], ...frame }: ForestExport): AsyncIterable<string> {
  const half = Math.ceil(nodes.length / 2);
  const parts = [nodes.slice(0, half), [], nodes.slice(half)];
  return exportPieces({ frame, nodes: parts, portable: (node) => node, blobs });
}

async function joined(pieces: AsyncIterable<string>): Promise<readonly string[]> {
  const read: string[] = [];
  for await (const piece of pieces) read.push(piece);
  return read;
}

test("exportPieces yields exactly the text of exportJson", async () => {
  const texts = fc.array(fc.string({ unit: "binary" }), { maxLength: 4 });
  await fc.assert(
    fc.asyncProperty(texts, texts, texts, async (...parts) => {
      const whole = exported(...parts);
      expect((await joined(piecesOf(whole))).join("")).toBe(exportJson(whole));
    }),
  );
});
