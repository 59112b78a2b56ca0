import fc from "fast-check";
import { expect, test } from "vitest";
import { scaled } from "../../../test/scale.ts";
import { decodeBase64, encodeBase64 } from "./base64.ts";

test.each([
  ["", ""],
  ["f", "Zg=="],
  ["fo", "Zm8="],
  ["foo", "Zm9v"],
  ["foob", "Zm9vYg=="],
  ["foobar", "Zm9vYmFy"],
])("encodeBase64 writes %j as in RFC 4648", (plain, encoded) => {
  const bytes = Uint8Array.from(plain, (character) => character.charCodeAt(0));
  expect(encodeBase64(bytes)).toBe(encoded);
  expect(decodeBase64(encoded)).toEqual(bytes);
});

test("base64 keeps every byte in a round trip", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 20_000 }), (bytes) => {
      expect(decodeBase64(encodeBase64(bytes))).toEqual(bytes);
    }),
    { numRuns: scaled(60) },
  );
});

test("a text that decodes is exactly the encoding of its bytes", () => {
  const character = fc.constantFrom(..."ABab09+/=- \u00e9\u20ac");
  fc.assert(
    fc.property(fc.string({ unit: character, maxLength: 12 }), (text) => {
      const bytes = decodeBase64(text);
      if (bytes !== undefined) expect(encodeBase64(bytes)).toBe(text);
    }),
  );
});

test.each(["Zg", "Zg=", "Zh==", "Zm9=", "Z===", "====", "Zg==Zg==", "Zm9v\n", "Zm-v", "Zm9\u0176"])(
  "decodeBase64 returns undefined for %j",
  (text) => {
    expect(decodeBase64(text)).toBeUndefined();
  },
);
