import { act } from "react";
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { createBatch, createCell } from "../../../src/client/base/observable.ts";
import type { TextReplica } from "../../../src/client/base/types.ts";
import type { BlockHeader } from "../../../src/core/block/types.ts";
import { mountHook } from "../ui/render-hook.test-support.ts";
import { useAtRest } from "./use-at-rest.ts";

beforeEach(() => {
  vi.useFakeTimers({ toFake: ["setTimeout", "clearTimeout"] });
});
afterEach(() => {
  vi.useRealTimers();
});

test("useAtRest works once after the last of many keys, renders nothing for them, and stops with its component", async () => {
  const header = createCell<BlockHeader | null>(null, createBatch());
  const typed = (version: number): void => header.set({ version } as BlockHeader);
  const work = vi.fn<() => void>();
  const replica = { header } as unknown as TextReplica;
  const hook = await mountHook(() => useAtRest(replica, 400, work));
  await hook.render(null);
  await vi.advanceTimersByTimeAsync(399);
  expect(work).toHaveBeenCalledTimes(0);
  await vi.advanceTimersByTimeAsync(1);
  expect(work).toHaveBeenCalledTimes(1);
  for (let version = 1; version <= 20; version += 1) {
    await act(async () => typed(version));
    await vi.advanceTimersByTimeAsync(100);
  }
  expect(work).toHaveBeenCalledTimes(1);
  await vi.advanceTimersByTimeAsync(300);
  expect(work).toHaveBeenCalledTimes(2);
  expect(hook.results).toHaveLength(1);
  typed(21);
  await hook.unmount();
  await vi.advanceTimersByTimeAsync(1_000);
  expect(work).toHaveBeenCalledTimes(2);
});
