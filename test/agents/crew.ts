import type { BlockId } from "../../src/core/base/ids.ts";

/** What was written at a time of the wall clock and acknowledged, under whose name, and after how many milliseconds. */
export interface Written {
  readonly mark: string;
  readonly by: string;
  readonly at: number;
  readonly ms: number;
}

/** What agents or people need to begin. */
export interface CrewWish {
  readonly to: { readonly url: string; readonly token: string };
  readonly count: number;
  readonly canvasId: BlockId;
}

/** When a crowd works: from `from` on, a time of the wall clock, for some seconds. */
export interface Hours {
  readonly from: number;
  readonly seconds: number;
  /** Agents rest and work in turns of this many seconds; null: they work all the time. */
  readonly shiftSeconds: number | null;
}

/** Agents or people that are connected and not at work yet. */
export interface Crew {
  work(hours: Hours, note: (written: Written) => void): Promise<void>;
  /** Waits until each page shows the final text, and disconnects. */
  finish(final: string): Promise<void>;
}

export function isOver({ from, seconds }: Hours, at: number): boolean {
  return at >= from + seconds * 1_000;
}

/** Whether agents are at work, who rest first. */
export function isAtWork({ from, shiftSeconds }: Hours, at: number): boolean {
  return shiftSeconds === null || Math.floor((at - from) / (shiftSeconds * 1_000)) % 2 === 1;
}
