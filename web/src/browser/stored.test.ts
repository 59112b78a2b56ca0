import { afterEach, expect, test, vi } from "vitest";
import { isRecord, readText, Stored } from "./stored.ts";

afterEach(() => vi.unstubAllGlobals());

/** A browser's storage with room for so many units. */
function storageFor(unitsMax: number): Pick<Storage, "getItem" | "setItem" | "removeItem"> {
  const items = new Map<string, string>();
  return {
    getItem: (key) => items.get(key) ?? null,
    setItem(key, text) {
      if (text.length > unitsMax) throw new DOMException("full", "QuotaExceededError");
      items.set(key, text);
    },
    removeItem: (key) => void items.delete(key),
  };
}

test.each(["a thought", '{"a": 1}', "[1, 2]", "null", "12", '"quoted"', ""])(
  "a text that was written is the same when it is read again, whatever else it may be: %s",
  (text) => {
    vi.stubGlobal("localStorage", storageFor(1_000));
    const draft = new Stored("draft.kept", readText, "");
    draft.set(text);
    expect(new Stored("draft.kept", readText, "").get()).toBe(text);
  },
);

test("a record is read as such, and what is none of the kind is as if nothing were kept", () => {
  vi.stubGlobal("localStorage", storageFor(1_000));
  const seen = new Stored("seen", (value) => (isRecord(value) ? value : undefined), { since: 0 });
  seen.set({ since: 3 });
  expect(seen.get()).toEqual({ since: 3 });
  new Stored("seen", readText, "").set("no record");
  expect(seen.get()).toEqual({ since: 0 });
});

test.each([
  ["is full", () => vi.stubGlobal("localStorage", storageFor(10))],
  ["is refused", () => vi.stubGlobal("localStorage", undefined)],
])("where the browser's storage %s, what was written last is there as long as the page", (name, stub) => {
  stub();
  const draft = new Stored(`draft.${name}`, readText, "");
  draft.set("short");
  draft.set("more than there is room for");
  expect(new Stored(`draft.${name}`, readText, "").get()).toBe("more than there is room for");
  draft.set("less");
  expect(draft.get()).toBe("less");
  draft.clear();
  expect(draft.get()).toBe("");
});
