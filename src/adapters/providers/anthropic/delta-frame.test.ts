import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { scaled } from "../../../../test/scale.ts";
import { framedDelta, learnFrame } from "./delta-frame.ts";

/** The ways in which servers write the same event. */
const writings: readonly ((index: number, delta: object) => string)[] = [
  (index, delta) => JSON.stringify({ type: "content_block_delta", index, delta }),
  (index, delta) => JSON.stringify({ delta, index, type: "content_block_delta" }),
  (index, delta) => JSON.stringify({ index, type: "content_block_delta", delta }),
  (index, delta) => `{"type": "content_block_delta", "index": ${index}, "delta": ${JSON.stringify(delta)}   }`,
];

const deltas: readonly ((text: string) => object)[] = [
  (text) => ({ type: "text_delta", text }),
  (text) => ({ text, type: "text_delta" }),
  (text) => ({ type: "thinking_delta", thinking: text }),
  (text) => ({ type: "input_json_delta", partial_json: text }),
  (text) => ({ type: "signature_delta", signature: text }),
];

const events = writings.flatMap((write) =>
  deltas.map((delta) => (index: number, text: string) => write(index, delta(text))),
);

function learned(data: string): void {
  learnFrame(data, JSON.parse(data));
}

/** What the event says when it is parsed whole; null where it cannot be. */
function parsed(data: string): unknown {
  try {
    const { type, index, delta, ...rest } = JSON.parse(data) as Record<string, unknown>;
    return type === "content_block_delta" && Object.keys(rest).length === 0 ? { at: index, delta } : null;
  } catch {
    return null;
  }
}

const text = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.constantFrom('"', "\\", '\\"', '","text":"', "}", '"}}', "\u0000", "\n", "\ud83d", "text_delta", '"index":9'),
);

describe("20.17 a piece of a block whose form is known", () => {
  test("says what parsing it says, in every writing and with every text", () => {
    fc.assert(
      fc.property(fc.constantFrom(...events), text, text, fc.nat(9_999), fc.nat(9_999), (event, one, other, a, b) => {
        learned(event(a, one));
        const data = event(b, other);
        const found = framedDelta(data);
        if (found !== undefined) expect(found).toEqual(parsed(data));
      }),
      { numRuns: scaled(1_000) },
    );
  });

  test("is recognised after one of its form, whatever its text and its number", () => {
    for (const event of events.slice(0, 15)) {
      learned(event(0, "Hello"));
      for (const said of ["", "wörld", 'a "quoted" word\n', "x".repeat(5_000)]) {
        expect(framedDelta(event(0, said))).toEqual(parsed(event(0, said)));
      }
    }
    learned(events[0]?.(3, "Hello") ?? "");
    expect(framedDelta(events[0]?.(12, "on") ?? "")).toEqual({ at: 12, delta: { type: "text_delta", text: "on" } });
  });

  test("is parsed whole when anything else in it differs", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...events),
        text,
        fc.array(
          fc.tuple(fc.nat(200), fc.nat(3), fc.constantFrom(...'"\\{}:, 019-e.txi\n', "", '"text":"x",', "null")),
          {
            minLength: 1,
            maxLength: 3,
          },
        ),
        (event, said, changes) => {
          learned(event(1, said));
          const data = changes.reduce(
            (whole, [at, removed, added]) =>
              whole.slice(0, at % (whole.length + 1)) + added + whole.slice((at % (whole.length + 1)) + removed),
            event(1, said),
          );
          const found = framedDelta(data);
          if (found !== undefined) expect(found).toEqual(parsed(data));
        },
      ),
      { numRuns: scaled(3_000) },
    );
  });

  test.each(["01", "-1", "1.5", "1e1", "12345", '"1"', "null", ""])("is parsed whole with the number %s", (number) => {
    for (const event of events) {
      learned(event(777, "a"));
      expect(framedDelta(event(777, "b"))).toBeDefined();
      expect(framedDelta(event(777, "b").replace("777", number))).toBeUndefined();
    }
  });

  test.each([
    ["a field more", '{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"a"},"more":1}'],
    [
      "a field more in what it adds",
      '{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"a","more":1}}',
    ],
    ["a field twice", '{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":"a","text":"b"}}'],
    ["a number with a point", '{"type":"content_block_delta","index":0.5,"delta":{"type":"text_delta","text":"a"}}'],
    ["no number", '{"type":"content_block_delta","delta":{"type":"text_delta","text":"a"}}'],
    ["a text that is none", '{"type":"content_block_delta","index":0,"delta":{"type":"text_delta","text":7}}'],
  ])("with %s is never remembered", (_what, data) => {
    learned(data);
    expect(framedDelta(data)).toBeUndefined();
  });
});
