import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { changed, walkSteps } from "./walks.ts";
import { schemaHashTest, walkedCopy, walkTests, type WalkedCopy } from "./walked-copy.ts";

// The runner reads the whole product; on a busy machine that takes minutes. `npm run check` does what reads even more.
describe("the walks of docs/extending.md, all in one copy of the sources", { timeout: 240_000 }, () => {
  let copy: WalkedCopy;
  beforeAll(() => {
    copy = walkedCopy();
  });
  afterAll(() => copy?.remove());

  test("pass the test at the end of each walk", async () => {
    const { code, output } = await copy.run("vitest/vitest.mjs", "run", "--reporter=dot", ...walkTests);
    expect(code, output).toBe(0);
    expect(output).toContain(`${walkTests.length} passed (${walkTests.length})`);
  });

  test("change the wire as the page says: a test fails until the protocol version is raised", async () => {
    const { code, output } = await copy.run("vitest/vitest.mjs", "run", "--reporter=dot", schemaHashTest);
    expect(code).toBe(1);
    expect(output).toContain("raise protocolVersion and set schemaHash");
  });
});

describe("a walk", () => {
  test("changes only the lines between the lines it shows", () => {
    const [step] = walkSteps("```diff\n--- a.ts\n one\n+two\n@@\n-four\n```\n");
    if (step?.type !== "change") throw new Error("the page has a change");
    expect(changed("zero\none\nthree\nfour\n", step)).toBe("zero\none\ntwo\nthree\n");
  });

  test.each([
    ["are gone", "zero\nthree\n"],
    ["are there twice", "one\none\n"],
    ["are part of other lines", "someone\n"],
  ])("that has drifted fails: the lines that it shows %s", (_case, source) => {
    const [step] = walkSteps("```diff\n--- a.ts\n one\n+two\n```\n");
    if (step?.type !== "change") throw new Error("the page has a change");
    expect(() => changed(source, step)).toThrow("docs/extending.md: a.ts");
  });
});
