import { useMedia } from "../use-observable.ts";

/** Returns the height of a row in pixels: what a finger needs where there is no mouse. */
export function useRowHeight(): number {
  return useMedia("(pointer: coarse)") ? 44 : 30;
}
