import { expect, test } from "vitest";
import type { Chain } from "../../../core/rights/object-key.ts";
import { WatchedObjects } from "./watched-objects.ts";

const at = (...keys: readonly string[]): Chain => keys as unknown as Chain;

test("a watched object has moved once its place is another, and nothing else has", () => {
  const objects = new WatchedObjects();
  objects.add("canvas", at("canvas", "folder:a"), () => {});
  expect(objects.moved("canvas", at("canvas", "folder:a"))).toBe(false);
  expect(objects.moved("other", at("other", "folder:b"))).toBe(false);
  expect(objects.moved("canvas", at("canvas", "folder:b"))).toBe(true);
  expect(objects.moved("canvas", at("canvas", "folder:b"))).toBe(false);
});

test("the watches of what a person has no role on any more end at once, by its new place", () => {
  const ended: string[] = [];
  const objects = new WatchedObjects();
  for (const id of ["one", "two"]) objects.add(id, at(id, "folder:a"), () => ended.push(id));
  objects.moved("two", at("two", "folder:b"));
  for (let round = 0; round < 2; round += 1) objects.endUnseen((chain) => chain[1] === "folder:a");
  expect(ended).toEqual(["two"]);
});
