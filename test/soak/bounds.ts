/** Bounds of a soak. Memory is judged only where there are minutes enough for a slope. */
export interface SoakBounds {
  /** How many seconds of the half without kills do not count: caches fill, and the program's code is compiled. */
  readonly warmUpSeconds: number;
  readonly slopeMbPerMinute: number;
  readonly descriptors: number;
}

export const soakBounds: SoakBounds = { warmUpSeconds: 300, slopeMbPerMinute: 1, descriptors: 8 };
