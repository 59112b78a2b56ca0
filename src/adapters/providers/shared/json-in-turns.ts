import { setImmediate } from "node:timers/promises";
import type { JsonObject } from "../../../core/base/json.ts";

/** Elements of a list that are written at once. */
const atOnce = 64;
/** A list of no more elements is written with the rest. */
const shortList = 512;
/** Milliseconds after which others have a turn. */
const turnMs = 4;

/**
 * Writes the same JSON as `JSON.stringify`. A list of thousands among the object's own values, as the messages of a long
 * conversation are, is written in turns with other work, since nobody's keystroke shall wait for it. The object must not change
 * meanwhile.
 */
export function jsonInTurns(value: JsonObject): string | Promise<string> {
  return Object.values(value).some(isLong) ? inTurns(value) : JSON.stringify(value);
}

async function inTurns(value: JsonObject): Promise<string> {
  const turns = new Turns();
  const written: string[] = [];
  for (const [key, own] of Object.entries(value)) {
    const text: string | undefined = isLong(own) ? await listInTurns(own, turns) : JSON.stringify(own);
    // Undefined is no JSON: the key is left out.
    if (text !== undefined) written.push(`${JSON.stringify(key)}:${text}`);
  }
  return `{${written.join(",")}}`;
}

function isLong(value: unknown): value is readonly unknown[] {
  return Array.isArray(value) && value.length > shortList;
}

async function listInTurns(list: readonly unknown[], turns: Turns): Promise<string> {
  const parts: string[] = [];
  for (let from = 0; from < list.length; from += atOnce) {
    parts.push(JSON.stringify(list.slice(from, from + atOnce)).slice(1, -1));
    await turns.next();
  }
  return `[${parts.join(",")}]`;
}

class Turns {
  #beganAt = performance.now();

  async next(): Promise<void> {
    if (performance.now() - this.#beganAt < turnMs) return;
    await setImmediate();
    this.#beganAt = performance.now();
  }
}
