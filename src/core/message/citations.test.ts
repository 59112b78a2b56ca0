import { expect, test } from "vitest";
import type { Json } from "../base/json.ts";
import type { AssistantContentBlock } from "./types.ts";
import { sourcesOf } from "./citations.ts";

type Holder = "objects" | "lists";

function within(depth: number, holder: Holder): Json {
  const source: Json = { url: "https://a.example/", title: "A" };
  if (depth === 0) return source;
  const held = within(depth - 1, holder);
  return holder === "lists" ? [held] : { held };
}

test.each<[depth: number, holder: Holder, count: number]>([
  [12, "objects", 1],
  [13, "objects", 0],
  [12, "lists", 1],
  [13, "lists", 0],
])("a source %i deep in %s is found %i times", (depth, holder, count) => {
  const block = { type: "opaque", raw: within(depth, holder) } as unknown as AssistantContentBlock;
  expect(sourcesOf(block)).toHaveLength(count);
});
