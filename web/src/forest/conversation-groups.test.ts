import { expect, test } from "vitest";
import { dateGroup } from "./conversation-groups.ts";

const now = new Date(2026, 10, 23, 10, 30).getTime();

test.each([
  [new Date(2026, 10, 23, 0, 0), "Today"],
  [new Date(2026, 10, 22, 23, 59), "Yesterday"],
  [new Date(2026, 10, 22, 0, 0), "Yesterday"],
  [new Date(2026, 10, 16, 0, 0), "Last 7 days"],
  [new Date(2026, 10, 15, 23, 59), "Last 30 days"],
  [new Date(2026, 9, 24, 0, 0), "Last 30 days"],
  [new Date(2026, 8, 1, 12, 0), new Date(2026, 8, 1).toLocaleDateString(undefined, { month: "long" })],
  [
    new Date(2025, 10, 23, 12, 0),
    new Date(2025, 10, 1).toLocaleDateString(undefined, { month: "long", year: "numeric" }),
  ],
])("a conversation of %s is in the group %s", (at, group) => {
  expect(dateGroup(at.getTime(), now)).toBe(group);
});
