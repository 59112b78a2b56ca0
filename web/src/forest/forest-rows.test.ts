import { expect, test } from "vitest";
import type { RootId } from "../../../src/core/base/ids.ts";
import type { ConversationSummary } from "../../../src/core/forest/list.ts";
import { forestRows } from "./forest-rows.ts";

const now = new Date(2026, 10, 23, 10, 30).getTime();
const hour = 3_600_000;
const talk = (id: string, change: Partial<ConversationSummary> = {}): ConversationSummary => ({
  id: id as RootId,
  slug: id,
  title: id,
  model: "scripted/scribe",
  canvasId: null,
  archived: false,
  createdAt: now - 40 * 24 * hour,
  updatedAt: now,
  ...change,
});
const drawn = (roots: readonly ConversationSummary[], order: "created" | "updated" | "title" = "updated") =>
  forestRows({
    roots,
    total: roots.length,
    openRootId: null,
    branches: [],
    folded: new Set(),
    unreadRoots: new Set(["b" as RootId]),
    order,
    now,
  }).map((row) =>
    row.type === "group" ? `# ${row.title}` : `${row.key}${row.type === "root" && row.unread ? " unread" : ""}`,
  );

test("conversations are in groups: pinned ones first, then by the day on which they last changed", () => {
  const roots = [
    talk("a", { pinned: true }),
    talk("b"),
    talk("c", { updatedAt: now - hour }),
    talk("d", { updatedAt: now - 24 * hour }),
  ];
  expect(drawn(roots)).toEqual(["# Pinned", "a", "# Today", "b unread", "c", "# Yesterday", "d"]);
});

test("groups follow the order of the list", () => {
  expect(drawn([talk("a"), talk("Anna"), talk("b"), talk(" ")], "title")).toEqual([
    "# A",
    "a",
    "Anna",
    "# B",
    "b unread",
    "# New",
    " ",
  ]);
});
