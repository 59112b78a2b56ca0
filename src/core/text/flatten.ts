import { assert } from "../base/assert.ts";
import { isLowSurrogate } from "./surrogates.ts";

/**
 * Strings that were joined stay trees inside until they are read; typing would keep a tree node a letter alive. Reading a
 * unit makes a string one piece; a read that nothing depends on would be left out by a compiler.
 */
export function flatten(text: string): void {
  assert(!isLowSurrogate(text.charCodeAt(0)), "a text begins with a whole character");
}
