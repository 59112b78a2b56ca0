import { expect, test } from "vitest";
import type { Json } from "../base/json.ts";
import type { AssistantContentBlock } from "./types.ts";
import { sourcesOf } from "./citations.ts";

function within(depth: number): Json {
  const source: Json = { url: "https://a.example/", title: "A" };
  return depth === 0 ? source : { held: within(depth - 1) };
}

test.each<[depth: number, count: number]>([
  [12, 1],
  [13, 0],
])("a source %i deep is found %i times", (depth, count) => {
  const block = { type: "opaque", raw: within(depth) } as unknown as AssistantContentBlock;
  expect(sourcesOf(block)).toHaveLength(count);
});
