import { sha256 } from "@noble/hashes/sha2.js";
import { bytesToHex, utf8ToBytes } from "@noble/hashes/utils.js";
import fc from "fast-check";
import { expect, test } from "vitest";
import { hash8, sha256Hex, sha256HexOfBytes } from "./hash.ts";

test("SHA-256 of the empty text and of abc are those of FIPS 180-4", () => {
  expect(sha256Hex("")).toBe("e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
  expect(sha256Hex("abc")).toBe("ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
  expect(hash8("abc")).toBe("ba7816bf");
});

test("16.4 the platform's hash is the library's, of bytes and of texts with half surrogate pairs too", () => {
  fc.assert(
    fc.property(
      fc.string({ unit: "binary", maxLength: 500 }),
      fc.array(fc.constantFrom("\ud800", "\udc00", "é"), { maxLength: 5 }),
      (text, odd) => {
        const whole = text + odd.join("");
        const expected = bytesToHex(sha256(utf8ToBytes(whole)));
        expect(sha256Hex(whole)).toBe(expected);
        expect(sha256HexOfBytes(utf8ToBytes(whole))).toBe(expected);
      },
    ),
  );
});
