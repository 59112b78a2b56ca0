import { expect, test } from "vitest";
import { after } from "./after.test-support.ts";
import type { GroupId, PersonId } from "../base/ids.ts";
import { budgetsOf, budgetStates, firstDayKept, isUsedUp } from "./budget.ts";
import { changeRights } from "./change-rights.ts";
import { noRights } from "./rights.ts";
import type { SpendingLimits } from "./spending-limits.ts";

const [ada, bob] = ["ada" as PersonId, "bob" as PersonId];
const weavers = "g1" as GroupId;
const tokens = (count: number): SpendingLimits => ({ tokens: count, dollars: null });

const start = after(noRights, [
  { type: "person-added", id: ada, name: "Ada" },
  { type: "person-added", id: bob, name: "Bob" },
  { type: "group-set", id: weavers, name: "Weavers", isNew: true },
  { type: "member-set", group: weavers, person: ada, isMember: true },
  { type: "member-set", group: weavers, person: bob, isMember: true },
  { type: "budget-set", holder: { type: "person", id: ada }, per: "day", limits: tokens(100) },
  { type: "budget-set", holder: { type: "group", id: weavers }, per: "month", limits: { tokens: 500, dollars: 2 } },
]);

const spent = (days: Record<string, number>) =>
  new Map(Object.entries(days).map(([day, count]) => [day, { tokens: count, dollars: count / 100 }]));
const at = (time: string): number => Date.parse(time);

test("21.6 a budget counts its own period by UTC, a group's counts all its members, and says when it is free again", () => {
  const spending = (person: PersonId) =>
    person === ada ? spent({ "2026-11-30": 100, "2026-11-02": 50, "2026-10-31": 9_000 }) : spent({ "2026-11-29": 60 });
  const states = budgetStates(start, spending, at("2026-11-30T23:59:59.999Z"));
  expect(states.map(({ name, per, spent: { tokens: count }, freeAt }) => [name, per, count, freeAt])).toEqual([
    ["Ada", "day", 100, at("2026-12-01")],
    ["Weavers", "month", 210, at("2026-12-01")],
  ]);
  expect(states.map(isUsedUp)).toEqual([true, true]);
  const next = budgetStates(start, spending, at("2026-12-01"));
  expect(next.map(({ spent: { tokens: count }, freeAt }) => [count, freeAt])).toEqual([
    [0, at("2026-12-02")],
    [0, at("2027-01-01")],
  ]);
  expect(next.map(isUsedUp)).toEqual([false, false]);
});

test("21.6 a person's requests are paid from their own budget and their groups', and from nobody else's", () => {
  const states = budgetStates(start, () => new Map(), at("2026-11-30"));
  expect(budgetsOf(states, start, ada).map(({ name }) => name)).toEqual(["Ada", "Weavers"]);
  expect(budgetsOf(states, start, bob).map(({ name }) => name)).toEqual(["Weavers"]);
  const left = after(start, [{ type: "member-set", group: weavers, person: bob, isMember: false }]);
  expect(
    budgetsOf(
      budgetStates(left, () => new Map(), 0),
      left,
      bob,
    ),
  ).toEqual([]);
});

test("21.6 a budget ends without limits, with its person and with its group, and is for who is there alone", () => {
  const none = { tokens: null, dollars: null };
  const ended = after(start, [{ type: "budget-set", holder: { type: "person", id: ada }, per: "day", limits: none }]);
  expect([...ended.budgets.keys()]).toEqual(["group:g1"]);
  expect(after(start, [{ type: "group-removed", id: weavers }]).budgets.has("group:g1" as never)).toBe(false);
  const gone = after(start, [{ type: "person-removed", id: ada }]);
  expect([...gone.budgets.keys()]).toEqual(["group:g1"]);
  const set = changeRights(gone, { type: "budget-set", holder: { type: "person", id: ada }, per: "day", limits: none });
  expect(set).toMatchObject({ ok: false, error: { code: "NOT_FOUND" } });
});

test.each([
  ["2026-11-30T12:00Z", "2026-10-01"],
  ["2026-01-01T00:00Z", "2025-12-01"],
  ["2028-03-31T23:00Z", "2028-02-01"],
])("21.6 at %s the days since %s are kept", (now, first) => {
  expect(firstDayKept(at(now))).toBe(first);
});
