import { act } from "react";
import { expect, test } from "vitest";
import { createBatch, createCell } from "../../../src/client/base/observable.ts";
import { mountHook } from "./render-hook.test-support.ts";
import { useSelected } from "./use-selected.ts";

interface Value {
  readonly shown: string;
  readonly aside: number;
}

test("useSelected renders again when a selected field changes, and keeps its result until then", async () => {
  const cell = createCell<Value>({ shown: "a", aside: 0 }, createBatch());
  const hook = await mountHook(() => useSelected(cell, ({ shown }) => ({ shown })));
  await hook.render(null);
  await act(async () => cell.set({ shown: "a", aside: 1 }));
  expect(hook.results).toEqual([{ shown: "a" }]);
  await act(async () => cell.set({ shown: "b", aside: 1 }));
  expect(hook.results).toEqual([{ shown: "a" }, { shown: "b" }]);
  await hook.render(null);
  expect(hook.results[2]).toBe(hook.results[1]);
  await hook.unmount();
});

test("useSelected reads another observable as soon as it is given one", async () => {
  const cells = {
    a: createCell<Value>({ shown: "a", aside: 0 }, createBatch()),
    b: createCell<Value>({ shown: "b", aside: 0 }, createBatch()),
  };
  const hook = await mountHook((name: "a" | "b") => useSelected(cells[name], ({ shown }) => ({ shown })));
  await hook.render("a");
  await hook.render("b");
  expect(hook.results.at(-1)).toEqual({ shown: "b" });
  await hook.unmount();
});
