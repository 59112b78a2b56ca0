import { act } from "react";
import { expect, test } from "vitest";
import { createBatch, createCell } from "../../../../src/client/base/observable.ts";
import type { HeddleClient } from "../../../../src/client/base/types.ts";
import type { Refusal } from "../../../../src/core/base/errors.ts";
import type { BlockId } from "../../../../src/core/base/ids.ts";
import type { BlockHeader } from "../../../../src/core/block/types.ts";
import { mountHook } from "../../ui/render-hook.test-support.ts";
import { useLateWords } from "./use-late-words.ts";

const header = { id: "root/1/1", kind: "text", status: "running", metadata: {} } as unknown as BlockHeader;

/** A page that has typed into a live block and has no answer yet. */
async function typed() {
  const batch = createBatch();
  const cells = {
    refused: createCell<Refusal | null>(null, batch),
    unconfirmed: createCell(1, batch),
    header: createCell<BlockHeader | null>(header, batch),
  };
  const heard: (readonly [string, string | null])[] = [];
  let closed = 0;
  const replica = { ...cells, dismissRefusal: () => cells.refused.set(null), close: () => (closed += 1) };
  const client = { openText: () => replica } as unknown as HeddleClient;
  const { render, unmount } = await mountHook(() =>
    useLateWords(client, "root/1/1" as BlockId, (words, nodeId) => heard.push([words, nodeId])),
  );
  await render(undefined);
  return { ...cells, heard, closed: () => closed, unmount };
}

function refused(lostText: string): Refusal {
  return { code: "MESSAGE_STORED", message: "Too late.", details: { lostText } };
}

const stored = { ...header, status: "done", metadata: { message: { node_id: "node_1", block: 0 } } } as BlockHeader;

test("K-73 words that came too late wait for the message they belong to, also when the field is gone", async () => {
  const page = await typed();
  await page.unmount();
  await act(async () => page.refused.set(refused("late words")));
  await act(async () => page.unconfirmed.set(0));
  expect([page.heard, page.closed()]).toEqual([[], 0]);
  await act(async () => page.header.set(stored));
  expect([page.heard, page.closed(), page.refused.get()]).toEqual([[["late words", "node_1"]], 1, null]);
});

test("words that were stored in time end the following without a sound", async () => {
  const page = await typed();
  await page.unmount();
  expect(page.closed()).toBe(0);
  await act(async () => page.unconfirmed.set(0));
  expect([page.heard, page.closed()]).toEqual([[], 1]);
});

test("K-73 words typed past the end are given on together, when their field is gone", async () => {
  const page = await typed();
  await act(async () => page.refused.set(refused("late ")));
  await act(async () => page.header.set(stored));
  await act(async () => page.unconfirmed.set(0));
  expect(page.heard).toEqual([]);
  await act(async () => page.unconfirmed.set(1));
  await page.unmount();
  expect(page.heard).toEqual([]);
  await act(async () => page.refused.set(refused("words")));
  await act(async () => page.unconfirmed.set(0));
  expect([page.heard, page.closed()]).toEqual([[["late words", "node_1"]], 1]);
});

test("words typed into a reply that left no message are given back as they are", async () => {
  const page = await typed();
  await page.unmount();
  await act(async () => page.refused.set(refused("words")));
  await act(async () => page.header.set({ ...header, status: "error" }));
  await act(async () => page.unconfirmed.set(0));
  expect([page.heard, page.closed()]).toEqual([[["words", null]], 1]);
});
