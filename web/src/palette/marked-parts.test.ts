import { expect, test } from "vitest";
import { markedParts } from "./marked-parts.ts";

const marked = (text: string, query: string): string =>
  markedParts(text, query)
    .map(({ text: part, isMatch }) => (isMatch ? `[${part}]` : part))
    .join("");

test("17.14 words of a query are marked where words begin, whatever their case and accents", () => {
  expect(marked("The quick Swallow, swallows", "swal QUICK")).toBe("The [quick] [Swal]low, [swal]lows");
  expect(marked("Café au lait", "cafe")).toBe("[Café] au lait");
  expect(marked("Cafe\u0301 noir", "café")).toBe("[Cafe\u0301] noir");
  expect(marked("overdark dark", "dark")).toBe("overdark [dark]");
  expect(marked("nothing", "")).toBe("nothing");
  expect(marked("", "a")).toBe("");
  expect(marked("𝒳 family 👩‍👩 end", "end")).toBe("𝒳 family 👩‍👩 [end]");
});
