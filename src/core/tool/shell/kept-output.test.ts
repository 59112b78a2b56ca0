import fc from "fast-check";
import { expect, test } from "vitest";
import { KeptOutput, outputHeadUnits, outputTailUnits } from "./kept-output.ts";

test("KeptOutput keeps output whole up to a bound; beyond it the beginning, the end and the missing length", () => {
  const all = outputHeadUnits + outputTailUnits;
  fc.assert(
    fc.property(fc.array(fc.integer({ min: 0, max: all }), { maxLength: 6 }), (sizes) => {
      const kept = new KeptOutput();
      let whole = "";
      for (const [index, size] of sizes.entries()) {
        const piece = String.fromCodePoint(97 + index).repeat(size);
        kept.add(piece);
        whole += piece;
      }
      const { output, leftOut } = kept.shown;
      expect(leftOut).toBe(Math.max(0, whole.length - all));
      if (leftOut === 0) {
        expect(output).toBe(whole);
        return;
      }
      expect(output.startsWith(`${whole.slice(0, outputHeadUnits)}\n`)).toBe(true);
      expect(output.endsWith(`\n${whole.slice(-outputTailUnits)}`)).toBe(true);
      expect(output.length).toBeLessThan(all + 100);
    }),
  );
});

test("KeptOutput never leaves half a character at a cut", () => {
  const kept = new KeptOutput();
  kept.add(`a${"😀".repeat(50_000)}`);
  expect(kept.shown.output.isWellFormed()).toBe(true);
});
