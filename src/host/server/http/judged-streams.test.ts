import { IncomingMessage, ServerResponse } from "node:http";
import { Socket } from "node:net";
import { expect, test } from "vitest";
import { refusal, type Refusal } from "../../../core/base/errors.ts";
import type { BlockId } from "../../../core/base/ids.ts";
import { canvasChain } from "../../../core/rights/object-key.ts";
import { JudgedStreams } from "./judged-streams.ts";

test("an answer that follows a document is judged again when that lies elsewhere, and not while it is only written in", async () => {
  const streams = new JudgedStreams();
  const answer = new ServerResponse(new IncomingMessage(new Socket()));
  const at = (folder: string) => canvasChain("doc/1/1" as BlockId, folder);
  let judged = 0;
  let refused: Refusal | null = null;
  const judge = async (): Promise<Refusal | null> => {
    judged += 1;
    return refused;
  };
  const document = { id: "doc/1/1", chain: at("Plans") };
  streams.add(answer, { isGone: () => false, judge, document });
  streams.moved("doc/1/1", () => at("Plans"));
  streams.moved("doc/1/2", () => at("Board"));
  expect(judged).toBe(0);
  for (let times = 0; times < 2; times += 1) streams.moved("doc/1/1", () => at("Looms"));
  await new Promise((resolve) => setImmediate(resolve));
  expect([judged, answer.destroyed]).toEqual([1, false]);
  refused = refusal("BLOCK_NOT_FOUND");
  streams.moved("doc/1/1", () => at("Board"));
  await new Promise((resolve) => setImmediate(resolve));
  expect([judged, answer.destroyed]).toEqual([2, true]);
});
