import { assert } from "../base/assert.ts";
import { isLowSurrogate } from "./surrogates.ts";

/**
 * Flattens a string. A concatenated string stays a tree inside until it is read; typing would keep one tree node per letter
 * alive. Reading a unit flattens the string, and the assertion keeps a compiler from removing the read.
 */
export function flatten(text: string): void {
  assert(!isLowSurrogate(text.charCodeAt(0)), "a text begins with a whole character");
}
