/** A model writes at the end of a text while a person writes in its middle, each on its own replica. */

import { Rope } from "../../src/core/text/rope.ts";
import type { Subject } from "../harness/interleave.ts";
import type { MakeReplica, Replica } from "./text-replica.ts";

export interface Pair {
  readonly server: Replica;
  readonly person: Replica;
}

const line = "The quick brown fox jumps over the lazy dog, and on it goes.\n";

/** The least work: the tokens and letters of `stream` in one rope. */
export function ropeStream(units: number, tokens: number): Subject {
  let rope = new Rope();
  const prepare = (): void => {
    rope = new Rope(line.repeat(Math.ceil(units / line.length)).slice(0, units));
  };
  const run = (): unknown => {
    for (let token = 0; token < tokens; token += 1) {
      rope.insert(rope.length, "streams ");
      if (token % relaxed.typeEvery === 0) rope.insert(rope.length >>> 1, "x");
    }
    return rope;
  };
  return { name: "rope", prepare, run };
}

/** Both hold a text of this many units. */
export function pairOf(make: MakeReplica, units: number): Pair {
  const server = make(1);
  const person = make(2);
  server.write(0, 0, line.repeat(Math.ceil(units / line.length)).slice(0, units));
  person.merge(server.everything());
  return { server, person };
}

/** Delays in tokens; the person types a letter every `typeEvery` tokens. */
export interface Pace {
  readonly typeEvery: number;
  readonly toPerson: number;
  readonly toServer: number;
}

/** Updates arrive soon: both sides are often up to date. */
export const relaxed: Pace = { typeEvery: 10, toPerson: 3, toServer: 2 };

/** The person types the next letter before the last one has arrived, so that the two are never up to date together. */
export const neverPausing: Pace = { typeEvery: 5, toPerson: 3, toServer: 12 };

/** Writes tokens of eight letters and delivers all updates; calls `passed` after each token. */
export function stream({ server, person }: Pair, tokens: number, pace: Pace, passed?: (token: number) => void): void {
  const toPerson: Uint8Array[] = [];
  const toServer: { readonly update: Uint8Array; readonly due: number }[] = [];
  for (let token = 0; token < tokens; token += 1) {
    toPerson.push(server.write(server.length, 0, "streams "));
    if (token >= pace.toPerson) person.merge(toPerson[token - pace.toPerson] ?? new Uint8Array());
    if (token % pace.typeEvery === 0) {
      const update = person.write(person.length >>> 1, 0, "x");
      toServer.push({ update, due: token + pace.toServer });
    }
    if (toServer[0] !== undefined && toServer[0].due <= token)
      server.merge(toServer.shift()?.update ?? new Uint8Array());
    passed?.(token);
  }
  for (const update of toPerson.slice(Math.max(0, tokens - pace.toPerson))) person.merge(update);
  for (const { update } of toServer) server.merge(update);
  if (server.length !== person.length) throw new Error("both sides end with the same text");
}
