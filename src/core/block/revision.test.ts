import { expect, test } from "vitest";
import { parseRevisionId, revisionId } from "./revision.ts";

test("a revision id contains the version and the text's hash, and can be parsed", () => {
  expect(revisionId(7, "abc")).toBe("7-ba7816bf");
  expect(parseRevisionId("7-ba7816bf")).toEqual({ version: 7, hash: "ba7816bf" });
  for (const wrong of ["", "7", "7-ba7816b", "7-BA7816BF", "-7-ba7816bf", "7-ba7816bf0"])
    expect(parseRevisionId(wrong)).toBeUndefined();
});
