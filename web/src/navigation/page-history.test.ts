import { expect, test } from "vitest";
import type { BlockId, RootId } from "../../../src/core/base/ids.ts";
import type { PageEntry } from "./page-entry.ts";
import { PageHistory } from "./page-history.ts";

const plan: PageEntry = { rootId: "a" as RootId, canvasId: "plan" as BlockId, dialog: "none", front: null };
const notes: PageEntry = { ...plan, canvasId: "notes" as BlockId };

/** A page and its history; like the browser's, it goes back a moment later: with `arrive`. */
function opened() {
  const entries: unknown[] = [null];
  let at = 0;
  let steps = 0;
  const returned: PageEntry[] = [];
  const history = {
    get state() {
      return entries[at];
    },
    pushState: (state: unknown) => void entries.splice((at += 1), Infinity, state),
    replaceState: (state: unknown) => void (entries[at] = state),
    back: () => void (steps += 1),
  };
  const page = new PageHistory(history, (entry) => returned.push(entry));
  const goTo = (place: number): void => page.popped(entries[(at = place)]);
  return {
    page,
    returned,
    goTo,
    arrive: () => {
      if (steps > 0) goTo(at - steps);
      steps = 0;
    },
    shown: () => entries.slice(0, at + 1).map((entry) => entry as PageEntry),
  };
}

test("a person who goes back returns to what the page showed, and what they open then follows that", () => {
  const { page, returned, goTo, shown } = opened();
  for (const entry of [null, plan, notes]) page.shows(entry);
  goTo(0);
  expect(returned).toMatchObject([plan]);
  page.shows(plan);
  page.shows({ ...plan, rootId: "b" as RootId });
  expect(shown()).toMatchObject([plan, { rootId: "b" }]);
});

test("a dialog that is closed leaves no entry, and one that is opened right after it stays", () => {
  const { page, returned, arrive, shown } = opened();
  page.shows(plan);
  page.shows({ ...plan, dialog: "settings" });
  page.shows(plan);
  // The page renders again before the browser has gone back.
  page.shows(plan);
  arrive();
  expect(shown()).toMatchObject([plan]);
  page.shows({ ...plan, dialog: "palette" });
  page.shows(plan);
  // A key is quicker than the browser.
  page.shows({ ...plan, dialog: "help" });
  arrive();
  expect(returned).toEqual([]);
  expect(shown()).toMatchObject([plan, { dialog: "help" }]);
});

test("a state of another making is left alone", () => {
  const { page, returned } = opened();
  page.shows(plan);
  page.popped({ of: "another" });
  expect(returned).toEqual([]);
});
