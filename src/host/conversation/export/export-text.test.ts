import { expect, test } from "vitest";
import { openMemoryStore } from "../../../adapters/storage/memory/open-memory-store.ts";
import type { NodeId } from "../../../core/base/ids.ts";
import { readExport } from "../../../core/forest/read-export.ts";
import type { ForestNode } from "../../../core/forest/types.ts";
import * as records from "../../../testing/store/records.ts";
import { listedNodes } from "./exported-nodes.ts";
import { exportText, type ExportFormat } from "./export-text.ts";

/** A question and two replies: one by a model with a known price, whose words another request repeated, and one without. */
function paidNodes(): readonly ForestNode[] {
  const asked = records.node("1");
  const usage = { inputTokens: 1_000_000, outputTokens: 100_000, cachedInputTokens: 0, thinkingTokens: 0 };
  const said = (id: string, model: string, more: Partial<ForestNode> = {}): ForestNode => ({
    ...asked,
    id: id as NodeId,
    parentId: asked.id,
    message: { role: "assistant", content: [{ type: "text", text: `Said by ${model}.` }] },
    usage,
    request: { model },
    ...more,
  });
  const again = { actor: asked.actor, usage: { ...usage, cachedInputTokens: 500_000 }, at: 1 };
  return [
    { ...asked, usage: null },
    said("n2", "p/known", { variants: [{ ...again, request: { model: "p/known" } }] }),
    said("n3", "p/unknown"),
  ];
}

async function exported(format: ExportFormat, nodes = paidNodes()): Promise<string> {
  const pricesOf = (model: string) => (model === "p/known" ? { input: 2, output: 10, cachedInput: 1 } : null);
  const pieces: string[] = [];
  const wish = { nodes: listedNodes(nodes), format, pricesOf };
  for await (const piece of exportText(openMemoryStore(), records.root("1"), wish)) pieces.push(piece);
  return pieces.join("");
}

test("20.16 an export for people says below each reply what it used and cost, and at its end the sum", async () => {
  const text = await exported("markdown");
  expect(text).toContain("Said by p/known.\n\n*2,000,000 tokens in (500,000 cached), 200,000 out, about $5.50*\n\n");
  expect(text).toContain("Said by p/unknown.\n\n*1,000,000 tokens in, 100,000 out*\n\n");
  const sum = "3 answered requests: 3,000,000 tokens in (500,000 cached), 300,000 out, about $5.50";
  expect(text.endsWith(`## Usage\n\n${sum}, without 1 request of no known price\n`)).toBe(true);
  expect(await exported("text")).toContain(`--- Usage ---\n\n${sum}`);
  expect(await exported("markdown", paidNodes().slice(0, 1))).not.toContain("Usage");
});

test("20.16 an export as JSON has what each message and all of them used and cost; an import counts nothing of it as spent", async () => {
  const text = await exported("json");
  const { nodes, spent } = JSON.parse(text) as { nodes: { spent?: object }[]; spent: object };
  expect(nodes.map((node) => node.spent)).toMatchObject([
    undefined,
    { dollars: 5.5, requests: 2, unpriced: 0, usage: { inputTokens: 2_000_000 } },
    { dollars: 0, requests: 1, unpriced: 1 },
  ] as object[]);
  expect(spent).toMatchObject({ dollars: 5.5, requests: 3, unpriced: 1, usage: { outputTokens: 300_000 } });
  const read = readExport(text);
  expect(read.ok && JSON.stringify(read.value).includes("spent")).toBe(false);
  expect(read.ok).toBe(true);
});
