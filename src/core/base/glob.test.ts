import { expect, test } from "vitest";
import { readGlob } from "./glob.ts";
import { accept } from "./result.test-support.ts";

test.each<[string, readonly string[], readonly string[]]>([
  ["*.ts", ["a.ts", "src/a.ts", "src/deep/b.ts"], ["a.tsx", "ts", "a.ts/b"]],
  ["src/*.ts", ["src/a.ts"], ["src/deep/a.ts", "a.ts", "other/src/a.ts"]],
  ["src/**/*.ts", ["src/a.ts", "src/x/y/a.ts"], ["a.ts", "src/a.js"]],
  ["**/test/**", ["test/a", "x/test/a/b"], ["tests/a", "x/testing"]],
  ["./src/", ["src/a", "src/b/c"], ["src", "lib/src/a"]],
  ["**", ["a", "a/b"], []],
  ["a?c.[ch]", ["abc.c", "a-c.h", "x/abc.h"], ["ac.c", "abc.cc", "abc.x"]],
  ["[acz]x", ["ax", "zx"], ["mx", "bx"]],
  ["[a-]x", ["ax", "-x"], ["bx"]],
  ["[!a-c]*", ["d", "x/zebra"], ["a", "b1", "x/c"]],
  ["*.{md,txt}", ["a.md", "b/c.txt"], ["a.rs", "a.{md,txt}"]],
  ["{src,test}/{a,b}.*", ["src/a.ts", "test/b.js"], ["src/c.ts"]],
  ["{open", ["{open", "x/{open"], ["open"]],
  ["a.b", ["a.b"], ["axb"]],
  ["Makefile", ["Makefile", "x/Makefile"], ["makefile"]],
])("14.12 the pattern %s matches %j and not %j", (pattern, matching, others) => {
  const glob = accept(readGlob(pattern));
  expect(matching.filter((path) => !glob(path))).toEqual([]);
  expect(others.filter((path) => glob(path))).toEqual([]);
});

test("14.12 a hostile pattern is refused or matched at once", () => {
  expect(readGlob("{a,b}".repeat(20))).toMatchObject({ ok: false, error: { code: "INVALID_PARAMS" } });
  expect(readGlob("")).toMatchObject({ ok: false });
  expect(readGlob("a".repeat(500))).toMatchObject({ ok: false });
  const began = performance.now();
  const glob = accept(readGlob(`${"*a".repeat(60)}b`));
  expect(glob("a".repeat(4_000))).toBe(false);
  const deep = accept(readGlob(`${"**/a/".repeat(40)}b`));
  expect(deep("a/".repeat(500))).toBe(false);
  expect(performance.now() - began).toBeLessThan(500);
});
