import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { readDialect } from "../../src/core/syntax/read-dialect.ts";
import { scaled } from "../scale.ts";
import { anyDialect } from "./random-dialects.ts";
import { syntaxLaws, type TextSyntax } from "./syntax-laws.ts";

const dialects = fc.sample(anyDialect, { numRuns: scaled(30), seed: 15 });

describe("15.8 syntaxes described by random data", () => {
  test.each(Object.entries(syntaxLaws))("%s", (_name, check) => {
    for (const data of dialects) {
      const read = readDialect(JSON.stringify(data));
      expect(read).toMatchObject({ ok: true });
      if (!read.ok) continue;
      try {
        check(read.value as TextSyntax, { numRuns: 12, seed: 15 });
      } catch (problem) {
        throw new Error(JSON.stringify(data), { cause: problem });
      }
    }
  });
});
