import { isJsonObject, type Json, type JsonObject, stableDeepEqual } from "../../src/core/base/json.ts";
import { assemble, assembledMessage, emptyAssembly } from "../../src/core/model/assemble.ts";
import type { StreamPart } from "../../src/core/model/stream-part.ts";
import { encodeReplyPart, startReply } from "../../src/adapters/providers/gemini-interactions/encode-reply.ts";
import type { SseEvent } from "../../src/adapters/providers/shared/sse.ts";
import { isRepeated } from "../../src/adapters/providers/shared/repeated-event.ts";
import { SseReader } from "../../src/adapters/providers/shared/sse.ts";
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
  const recorded = recordedStreams().map((row) => ({ api: row.api, events: eventsOf(row) }));
  const streams = [...recorded, ...recorded.filter(({ api }) => api === "anthropic").map(asInteractions)]
    .map((stream) => ({ ...stream, calls: callsOf(stream.api, stream.events) }))
    .filter(({ calls }) => calls !== "failed" && calls.length > 0);
  const tally: Record<string, Partial<Record<Verdict, number>>> = {};
  for (let n = 0; n < count; n += 1) {
    const random = seededRandom(seed + n);
    const stream = streams[random.below(streams.length)];
    const kind = mutationClasses[n % mutationClasses.length];
    if (stream === undefined || kind === undefined || stream.calls === "failed") break;
    const verdict = judge(stream.calls, callsOf(stream.api, mutated(stream.events, kind, random)));
    const key = `${stream.api} ${kind}`;
    tally[key] = { ...tally[key], [verdict]: (tally[key]?.[verdict] ?? 0) + 1 };
  }
  return tally;
}

interface Stream {
  readonly api: string;
  readonly events: readonly SseEvent[];
}

/** The reply of a stream as Google's Interactions API would send it, of which there are no recordings. */
function asInteractions({ api, events }: Stream): Stream {
  let state = startReply;
  const written = partsOf(api, events).flatMap((part) => {
    const { state: next, events: more } = encodeReplyPart(state, part);
    state = next;
    return more;
  });
  // Each event has an id, from which its stream can be resumed.
  const numbered = written.map(({ event, data }, n) => ({
    ...(event === undefined ? {} : { event }),
    data: `${data.slice(0, -1)},"event_id":"event-${n}"}`,
  }));
  return { api: "interactions", events: numbered };
}

interface Call {
  readonly name: string;
  readonly parameters: JsonObject;
  readonly isRefused: boolean;
}

function eventsOf(row: RecordedStream): readonly SseEvent[] {
  const reader = new SseReader();
  return [...reader.push(new TextEncoder().encode(row.body)), ...reader.end()];
}

/** The calls that would run after a stream. */
function callsOf(api: string, events: readonly SseEvent[]): readonly Call[] | "failed" {
  const assembly = partsOf(api, events).reduce(assemble, emptyAssembly);
  if (assembly.end.type !== "finished") return "failed";
  const content = assembledMessage(assembly, { api, provider: "test", model: "test" })?.content ?? [];
  return content.flatMap((block) =>
    block.type === "tool-use"
      ? [{ name: block.name, parameters: block.parameters, isRefused: block.argumentsError !== undefined }]
      : [],
  );
}

function partsOf(api: string, events: readonly SseEvent[]): readonly StreamPart[] {
  const decoder = decoderFor(api).start();
  const once = events.filter((event, at) => !isRepeated(events[at - 1], event));
  return [...once.flatMap((event) => decoder.push(event)), ...decoder.end()];
}

function judge(before: readonly Call[], after: readonly Call[] | "failed"): Verdict {
  if (after === "failed") return "failed";
  // A call without a name names no tool, so it never runs. Each other one is one of those sent, and none runs twice.
  const left = [...before];
  const strange = after.filter((call) => {
    if (call.isRefused || call.name === "") return false;
    const at = left.findIndex((o) => o.name === call.name && stableDeepEqual(o.parameters, call.parameters));
    if (at >= 0) left.splice(at, 1);
    return at < 0;
  });
  const isEmpty = ({ parameters }: Call): boolean => Object.keys(parameters).length === 0;
  if (!strange.every(isEmpty) || after.length > before.length) return "changed";
  if (strange.length > 0) return "empty";
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
