import { checkCuts } from "../providers/cut-streams.ts";
import { mutateStreams, type Verdicts } from "./structural-mutations.ts";
import { recordedStreams } from "../providers/recordings.ts";

export interface ProvidersFuzzReport {
  readonly streams: number;
  readonly cuts: number;
  /** What became of the calls of streams with one change of their structure each. */
  readonly mutations: Verdicts;
}

/**
 * Cuts every recorded stream after every event, up to a number of cuts. The rest, closed as interrupted, must be a
 * history that each of the four formats accepts. Then changes the structure of streams in one place each, as often. `first` is the first recording, from 1.
 */
export function fuzzProviders(cutsMax: number, first: number): ProvidersFuzzReport {
  let streams = 0;
  let cuts = 0;
  for (const row of recordedStreams().slice(first - 1)) {
    if (cuts >= cutsMax) break;
    cuts += checkCuts(row, () => true);
    streams += 1;
  }
  return { streams, cuts, mutations: mutateStreams(cutsMax, first) };
}
