const unitMs: Readonly<Record<string, number>> = { m: 60_000, h: 3_600_000, d: 86_400_000 };

/** Returns the time that a flag names, in UTC milliseconds; NaN for no time in the future. */
export function readTime(text: string, now: number): number {
  const [, count, unit = ""] = /^(\d{1,6})([mhd])$/.exec(text) ?? [];
  const time = count === undefined ? Date.parse(text) : now + Number(count) * (unitMs[unit] ?? Number.NaN);
  return time > now ? time : Number.NaN;
}
