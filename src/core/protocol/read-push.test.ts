import fc from "fast-check";
import * as v from "valibot";
import { expect, test } from "vitest";
import { scaled } from "../../../test/scale.ts";
import { readPush } from "./read-push.ts";
import { pushMessage, updateTextUnitsMax } from "./up/push.ts";

/** A field that is mostly valid, or nearly valid. */
function field(well: fc.Arbitrary<unknown>): fc.Arbitrary<unknown> {
  return fc.oneof(
    { weight: 16, arbitrary: well },
    { weight: 1, arbitrary: fc.constantFrom("", "\n", "a\n", "a b", "\u{1f642}", "x".repeat(64), "x".repeat(65)) },
    { weight: 1, arbitrary: fc.constantFrom("x".repeat(200), "x".repeat(201), "AAA", "x".repeat(updateTextUnitsMax)) },
    { weight: 1, arbitrary: fc.constant("x".repeat(updateTextUnitsMax + 1)) },
    { weight: 1, arbitrary: fc.oneof(fc.jsonValue(), fc.constant(undefined), fc.string()) },
  );
}

const text = fc.stringMatching(/^[A-Za-z0-9_-]{1,20}$/);
const json = fc.oneof(
  fc.record({
    type: field(fc.constant("push")),
    requestId: field(text),
    blockId: field(text.map((id) => `doc/${id}.1:2`)),
    update: field(fc.base64String({ minLength: 4 })),
    more: fc.anything(),
  }),
  fc.jsonValue(),
  fc.anything(),
);

test("readPush accepts exactly what the schema accepts", () => {
  let accepted = 0;
  fc.assert(
    fc.property(json, (value) => {
      const bySchema = v.safeParse(pushMessage, value);
      const push = readPush(value);
      expect(push).toEqual(bySchema.success ? bySchema.output : undefined);
      if (push !== undefined) accepted += 1;
    }),
    { numRuns: scaled(3_000) },
  );
  expect(accepted).toBeGreaterThan(100);
});
