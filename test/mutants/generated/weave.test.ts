import { expect, test } from "vitest";
import { findCandidates } from "./candidates.ts";
import { weave } from "./weave.ts";

const file = "src/core/text/example.ts";

/** Runs `expression` against the woven source with one mutant on; 0 for none. */
function evaluate(source: string, expression: string, active: number): unknown {
  const edits = findCandidates(file, source).map(({ edit }, index) => ({ id: index + 1, edit }));
  const woven = weave(source, edits);
  // oxlint-disable-next-line no-implied-eval, no-new-func -- The woven text is the result under test.
  return new Function("heddleMutant", `${woven}\nreturn ${expression};`)((id: number) => id === active);
}

function changes(source: string): readonly string[] {
  return findCandidates(file, source).map(({ before, after }) => `${before} → ${after}`);
}

test("findCandidates negates a condition, drops the guarded statement, swaps a connective and moves a bound", () => {
  expect(changes("function f(a, b) { if (a < 1 && b) return 1; return 2; }")).toEqual([
    "if (a < 1 && b) → if (!(a < 1 && b))",
    "if (a < 1 && b) return 1; → ",
    "a < 1 && b → a < 1 || b",
    "a < 1 → a <= 1",
  ]);
});

test("findCandidates returns early from functions of type void and boolean, and empties lists", () => {
  expect(changes("function f(): boolean { return g([1, 2]); }")).toEqual([
    "f() { → f() { return true;",
    "f() { → f() { return false;",
    "[1, 2] → []",
  ]);
  expect(changes("class C { m(): void { g(); h(); } }")).toEqual(["m() { → m() { return;", "g(); → ", "h(); → "]);
});

test("findCandidates leaves types, assertions, pairs of a list and the step of a for loop alone", () => {
  expect(changes("const a: A extends B ? [C] : D = b as E;")).toEqual([]);
  expect(changes("assert(a);")).toEqual([]);
  expect(changes("const m = f([[1, 2]]);")).toEqual(["[[1, 2]] → []"]);
  expect(changes("for (;;i += 1) continue;")).toEqual([]);
});

test("findCandidates names the function around a candidate", () => {
  const source = "const named = () => a < b; class C { #hidden() { return a < b; } } a < b;";
  const within = findCandidates(file, source).map((candidate) => candidate.within);
  expect(within).toEqual(["named", "#hidden", "", ""]);
});

test("weave leaves the program as it is while no mutant is on", () => {
  const source =
    "const f = (a, b, c) => { let n = 0; if (a || b && c > 1) n += 1; else n = [a + 1, b][0]; return n; };";
  for (const values of ["1, 0, 0", "0, 1, 2", "0, 1, 1", "0, 0, 2"]) {
    // oxlint-disable-next-line no-implied-eval, no-new-func, typescript/no-unsafe-call -- The same program, not woven.
    const plain: unknown = new Function(`${source}\nreturn f(${values});`)();
    expect(evaluate(source, `f(${values})`, 0)).toBe(plain);
  }
});

test("weave applies only the mutant that is on, also inside another one", () => {
  const source = "const f = (a, b, c) => a || b || c < 1;";
  expect(changes(source)).toEqual(["a || b || c < 1 → a || b && c < 1", "a || b → a && b", "c < 1 → c <= 1"]);
  const results = [0, 1, 2, 3].map((active) => evaluate(source, "[f(1, 0, 2), f(0, 0, 1), f(0, 0, 0)]", active));
  expect(results).toEqual([
    [1, false, true],
    [false, 0, 0],
    [false, false, true],
    [1, true, true],
  ]);
});

test("weave keeps an else with its own if when the statement before it can be dropped", () => {
  const source = "const f = (a) => { let n = 0; if (a) n = 1; else n = 2; return n; };";
  const dropped = changes(source).indexOf("n = 1; → ") + 1;
  expect([true, false].map((a) => evaluate(source, `f(${String(a)})`, dropped))).toEqual([0, 2]);
});

test("weave keeps two mutants of the same code apart", () => {
  const source = "const f = (a, b) => { if (a && b) return 1; return 2; };";
  const ids = ["if (a && b) → if (!(a && b))", "a && b → a || b"].map((change) => changes(source).indexOf(change) + 1);
  expect(ids.map((id) => evaluate(source, "[f(1, 1), f(1, 0), f(0, 0)]", id))).toEqual([
    [2, 1, 1],
    [1, 1, 2],
  ]);
});
