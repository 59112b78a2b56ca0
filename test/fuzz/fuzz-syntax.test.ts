import { describe, test } from "vitest";
import { scaled } from "../scale.ts";
import { textSyntaxes } from "./fuzz-syntax.ts";
import { syntaxLaws } from "./syntax-laws.ts";

describe.each(textSyntaxes.map((syntax) => [syntax.id, syntax] as const))("%s", (_id, syntax) => {
  test.each(Object.entries(syntaxLaws))("%s", (_name, check) => {
    check(syntax, { numRuns: scaled(60, 5_000) });
  });
});
