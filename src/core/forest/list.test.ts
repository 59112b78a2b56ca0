import { expect, test } from "vitest";
import { orders } from "./list.ts";

const rows = [
  { id: "1", title: "Beta", createdAt: 1, updatedAt: 9 },
  { id: "2", title: "alpha", createdAt: 2 },
  { id: "3", title: "ALPHA", createdAt: 2 },
  { id: "4", title: "omega", createdAt: 0, pinned: true },
] as const;

test.each([
  ["created", "4321"],
  ["updated", "4132"],
  ["title", "4321"],
] as const)("lists by %s have pinned rows first, and the newest id first among equals", (order, ids) => {
  for (const given of [rows, rows.toReversed()])
    expect(
      given
        .toSorted(orders[order])
        .map(({ id }) => id)
        .join(""),
    ).toBe(ids);
});
