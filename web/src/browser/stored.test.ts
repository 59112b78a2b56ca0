import { afterEach, expect, test, vi } from "vitest";
import { isRecord, readText, Stored } from "./stored.ts";

afterEach(() => vi.unstubAllGlobals());

/** Returns a browser storage with room for `unitsMax` units. */
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
  "Stored reads a text back unchanged, also when it looks like JSON: %s",
  (text) => {
    vi.stubGlobal("localStorage", storageFor(1_000));
    const draft = new Stored("draft.kept", readText, "");
    draft.set(text);
    expect(new Stored("draft.kept", readText, "").get()).toBe(text);
  },
);

test("Stored reads a record, and gives the fallback for any other value", () => {
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
])("Stored keeps the last value until the page closes when the browser's storage %s", (name, stub) => {
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

test("a value of one window is its own, and a new window begins with what any window stored last", () => {
  const storages = {
    shared: storageFor(1_000),
    one: storageFor(1_000),
    other: storageFor(1_000),
    fresh: storageFor(1_000),
  };
  vi.stubGlobal("localStorage", storages.shared);
  const windowWith = (own: (typeof storages)["one"]): Stored<string> => {
    vi.stubGlobal("sessionStorage", own);
    return new Stored("shown", readText, "", "window");
  };
  const one = windowWith(storages.one);
  const other = windowWith(storages.other);
  one.set("a");
  other.set("b");
  expect([one.get(), other.get()]).toEqual(["a", "b"]);
  expect(windowWith(storages.fresh).get()).toBe("b");
  one.clear();
  expect([one.get(), other.get()]).toEqual(["", "b"]);
});
