import fc from "fast-check";
import { expect, test } from "vitest";
import { scaled } from "../../../../test/scale.ts";
import type { JsonObject } from "../../../core/base/json.ts";
import { jsonInTurns } from "./json-in-turns.ts";

test("16.2 a request's body is the same JSON, however long its lists are", async () => {
  const message = fc.record({
    role: fc.string(),
    content: fc.jsonValue(),
    name: fc.option(fc.string(), { nil: undefined }),
  });
  const long = fc
    .tuple(message, fc.integer({ min: 500, max: 1_200 }))
    .map(([one, count]) => Array.from({ length: count }, () => one));
  const value = fc.oneof(fc.jsonValue(), long, fc.constant(undefined));
  await fc.assert(
    fc.asyncProperty(fc.dictionary(fc.string(), value, { maxKeys: 5 }), async (body) => {
      expect(await jsonInTurns(body as JsonObject)).toBe(JSON.stringify(body));
    }),
    { numRuns: scaled(15) },
  );
});

test("16.2 others have turns while the body of a long conversation is written", async () => {
  const messages = Array.from({ length: 50_000 }, (_, index) => ({
    role: "user",
    content: [{ type: "text", text: `${index} ${'said "so"\n'.repeat(50)}` }],
  }));
  let turns = 0;
  let isWriting = true;
  const turn = (): void => {
    turns += 1;
    if (isWriting) setImmediate(turn);
  };
  setImmediate(turn);
  const written = await jsonInTurns({ model: "m", messages, stream: true });
  isWriting = false;
  expect(written).toBe(JSON.stringify({ model: "m", messages, stream: true }));
  expect(turns).toBeGreaterThan(5);
});
