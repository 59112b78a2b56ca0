import { describe, expect, test } from "vitest";
import { stableDeepEqual } from "../../src/core/base/json.ts";
import { type Gist, gistOf } from "./gist.ts";
import { officialReaders } from "./official.ts";
import { decoderFor } from "./recorded-codecs.ts";
import { recordedStreams, recordingsFolder, type RecordedStream } from "./recordings.ts";

/** One recording as read by both sides. */
interface Outcome {
  readonly row: RecordedStream;
  /** Heddle's reading: a whole reply, or a failure that the provider reported. */
  readonly ours: Gist;
  readonly ended: string | undefined;
  /** The official client's reading, or the message it threw. */
  readonly theirs: Gist | string;
}

/** Why the official client reads something else. In each case it loses or refuses content that Heddle keeps. */
const causes: readonly (readonly [string, (outcome: Outcome) => boolean])[] = [
  ["it throws the error that the provider reported in the stream", ({ ended }) => ended === "failed"],
  ["it throws if a stream does not say why it ended", ({ theirs }) => /missing finish_reason/.test(words(theirs))],
  ["it throws if no piece names a role", ({ theirs }) => /missing role/.test(words(theirs))],
  ["it throws at an unknown event", ({ theirs }) => /Unhandled response stream event/.test(words(theirs))],
  [
    "it throws at a second reply in one recording",
    ({ theirs }) => /message_start before receiving/.test(words(theirs)),
  ],
  [
    "it takes the reply from the last event, where some servers omit it",
    ({ row, theirs }) => row.api === "responses" && isEmptier(theirs),
  ],
  ["it turns a list of parts into text", ({ theirs }) => typeof theirs === "object" && theirs.text.includes("[object")],
  [
    "it leaves out the tokens of compactions and advisors",
    ({ row }) => /"type": ?"(?:compaction|advisor_message)"/.test(row.body),
  ],
  ["it drops calls without a number", ({ row, theirs }) => row.api === "chat" && isEmptier(theirs)],
  [
    "it does not join arguments that arrive value by value",
    ({ row }) => row.api === "gemini-stream" && row.body.includes('"partialArgs"'),
  ],
];

function words(theirs: Gist | string): string {
  return typeof theirs === "string" ? theirs : "";
}

function isEmptier(theirs: Gist | string): boolean {
  return typeof theirs === "object" && (theirs.text === "" || theirs.calls.length === 0);
}

function agree({ ours, theirs }: Outcome): boolean {
  if (typeof theirs === "string") return false;
  const reported = Object.entries(theirs).filter(([, value]) => value !== undefined);
  return reported.every(([key, value]) => stableDeepEqual(value, { ...ours }[key]));
}

describe.skipIf(recordingsFolder === null)("the official clients of the providers", () => {
  test("read the same from every recorded stream, except where they lose content for a known reason", async () => {
    const outcomes: Outcome[] = [];
    for (const row of recordedStreams()) {
      const [first = []] = decoderFor(row.api).replies(new TextEncoder().encode(row.body), []);
      const theirs = await (officialReaders[row.api]?.(row.body) ?? Promise.reject(new Error(row.api))).catch(
        (problem: unknown) => (problem instanceof Error ? problem.message : String(problem)),
      );
      outcomes.push({ row, ours: gistOf(first), ended: first.at(-1)?.type, theirs });
    }
    const tally = new Map<string, number>();
    const unexplained = outcomes.flatMap((outcome) => {
      if (agree(outcome)) return [];
      const cause = causes.find(([, holds]) => holds(outcome))?.[0];
      if (cause === undefined) return [`${outcome.row.id} ${outcome.row.host} ${JSON.stringify(outcome.theirs)}`];
      tally.set(cause, (tally.get(cause) ?? 0) + 1);
      return [];
    });
    const alike = outcomes.filter(agree).length;
    console.log(`${alike} of ${outcomes.length} alike`);
    for (const [cause, count] of tally) console.log(`${String(count).padStart(4)} ${cause}`);
    expect(unexplained).toEqual([]);
    expect(alike / outcomes.length).toBeGreaterThan(0.95);
  }, 60_000);
});
