import { isJsonObject, type Json, type JsonObject, stableDeepEqual } from "../../src/core/base/json.ts";
import { assemble, assembledMessage, emptyAssembly } from "../../src/core/model/assemble.ts";
import type { SseEvent } from "../../src/adapters/providers/shared/sse.ts";
import { createSseReader } from "../../src/adapters/providers/shared/sse.ts";
import { parseJson } from "../../src/adapters/providers/shared/json-read.ts";
import { type SeededRandom, seededRandom } from "../../src/testing/seeded-random.ts";
import { decoderFor } from "../providers/recorded-codecs.ts";
import { type RecordedStream, recordedStreams } from "../providers/recordings.ts";

/** The ways to change the structure of a stream in one place. */
const mutationClasses = ["drop", "double", "swap", "rename", "null", "retype"] as const;
type MutationClass = (typeof mutationClasses)[number];

/**
 * What became of the calls of a mutated stream. `changed`: a call would run with arguments that the provider never sent.
 * `empty`: a call lost all its arguments, and its tool's schema decides whether it runs. `failed`: the stream ends with a failure; `refused`: a call has an error in place of its arguments; `fewer`: a call is
 * missing; `same`: all calls are as they were.
 */
type Verdict = "same" | "empty" | "fewer" | "refused" | "failed" | "changed";

/** How often each verdict came, by format and class of mutation. */
export type Verdicts = Readonly<Record<string, Readonly<Partial<Record<Verdict, number>>>>>;

/** Mutates `count` streams with calls in one place each, chosen by seed, and returns the verdicts. Throws when a decoder does. */
export function mutateStreams(count: number, seed: number): Verdicts {
  const streams = recordedStreams()
    .map((row) => ({ row, events: eventsOf(row) }))
    .map((stream) => ({ ...stream, calls: callsOf(stream.row.api, stream.events) }))
    .filter(({ calls }) => calls !== "failed" && calls.length > 0);
  const tally: Record<string, Partial<Record<Verdict, number>>> = {};
  for (let n = 0; n < count; n += 1) {
    const random = seededRandom(seed + n);
    const stream = streams[random.below(streams.length)];
    const kind = mutationClasses[n % mutationClasses.length];
    if (stream === undefined || kind === undefined || stream.calls === "failed") break;
    const verdict = judge(stream.calls, callsOf(stream.row.api, mutated(stream.events, kind, random)));
    const key = `${stream.row.api} ${kind}`;
    tally[key] = { ...tally[key], [verdict]: (tally[key]?.[verdict] ?? 0) + 1 };
  }
  return tally;
}

/**
 * Whether a class of mutation leaves a trace in a format, so that no call may run changed. Messages, Chat Completions and
 * generateContent number nothing and repeat nothing: a whole event that is missing, doubled or in another place inside a
 * text leaves valid JSON. Responses repeats each call as a whole.
 */
export function isDetectable(key: string): boolean {
  return key.startsWith("responses") || /(?:rename|null|retype)$/.test(key);
}

interface Call {
  readonly name: string;
  readonly parameters: JsonObject;
  readonly isRefused: boolean;
}

function eventsOf(row: RecordedStream): readonly SseEvent[] {
  const reader = createSseReader();
  return [...reader.push(new TextEncoder().encode(row.body)), ...reader.end()];
}

/** The calls that would run after a stream. */
function callsOf(api: string, events: readonly SseEvent[]): readonly Call[] | "failed" {
  const decoder = decoderFor(api).start();
  const parts = [...events.flatMap((event) => decoder.push(event)), ...decoder.end()];
  const assembly = parts.reduce(assemble, emptyAssembly);
  if (assembly.end.type !== "finished") return "failed";
  const content = assembledMessage(assembly, { api, provider: "test", model: "test" })?.content ?? [];
  return content.flatMap((block) =>
    block.type === "tool-use"
      ? [{ name: block.name, parameters: block.parameters, isRefused: block.argumentsError !== undefined }]
      : [],
  );
}

function judge(before: readonly Call[], after: readonly Call[] | "failed"): Verdict {
  if (after === "failed") return "failed";
  const isKnown = (call: Call): boolean =>
    // A call without a name names no tool, so it never runs.
    call.isRefused || call.name === "" || before.some((other) => stableDeepEqual(other.parameters, call.parameters));
  const isEmpty = ({ parameters }: Call): boolean => Object.keys(parameters).length === 0;
  if (!after.every((call) => isKnown(call) || isEmpty(call))) return "changed";
  if (after.length > before.length) return "changed";
  if (!after.every(isKnown)) return "empty";
  if (after.some((call) => call.isRefused || call.name === "")) return "refused";
  return after.length < before.length ? "fewer" : "same";
}

function mutated(events: readonly SseEvent[], kind: MutationClass, random: SeededRandom): readonly SseEvent[] {
  const at = random.below(events.length);
  const event = events[at];
  if (event === undefined) return events;
  switch (kind) {
    case "drop":
      return events.toSpliced(at, 1);
    case "double":
      return events.toSpliced(at, 0, event);
    case "swap": {
      const next = events[at + 1];
      return next === undefined ? events : events.toSpliced(at, 2, next, event);
    }
    case "rename":
    case "null":
    case "retype": {
      const body = parseJson(event.data);
      if (!isJsonObject(body)) return events;
      const places = placesIn(body, []);
      const place = places[random.below(places.length)];
      if (place === undefined) return events;
      return events.with(at, { ...event, data: JSON.stringify(withChange(body, place, kind)) });
    }
  }
}

/** Values that a model wrote: their inside is no structure of the stream. */
const written: ReadonlySet<string> = new Set(["args", "input", "parameters"]);

type Place = readonly (string | number)[];

function placesIn(value: Json, at: Place): readonly Place[] {
  const inner: readonly (readonly [string | number, Json])[] = Array.isArray(value)
    ? value.map((each: Json, place) => [place, each])
    : isJsonObject(value)
      ? Object.entries(value)
      : [];
  return inner.flatMap(([key, held]) => {
    const place = [...at, key];
    const own = typeof key === "string" ? [place] : [];
    return typeof key === "string" && written.has(key) ? own : [...own, ...placesIn(held, place)];
  });
}

function withChange(value: Json, [key, ...rest]: Place, kind: "rename" | "null" | "retype"): Json {
  if (Array.isArray(value) && typeof key === "number")
    return value.with(key, withChange(value[key] as Json, rest, kind));
  if (!isJsonObject(value) || typeof key !== "string") return value;
  const held = value[key] ?? null;
  if (rest.length > 0) return { ...value, [key]: withChange(held, rest, kind) };
  if (kind === "null") return { ...value, [key]: null };
  if (kind === "retype") return { ...value, [key]: typeof held === "string" ? 7 : "seven" };
  const { [key]: _renamed, ...others } = value;
  return { ...others, [`${key}_x`]: held };
}
