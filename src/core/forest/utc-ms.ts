const pattern = /^(\d{4})-(\d{2})-(\d{2})(?:[T ](\d{2}):(\d{2})(?::(\d{2})(?:\.(\d{1,9}))?)?)?(Z|[+-]\d{2}:\d{2})?$/i;

/** Returns milliseconds since 1970 of a time in ISO 8601, in UTC when it names no zone; NaN for any other text. */
export function utcMsOf(text: string): number {
  const match = pattern.exec(text.trim());
  if (match === null) return Number.NaN;
  const [year = 0, month = 0, day = 0, hour = 0, minute = 0, second = 0] = match
    .slice(1, 7)
    .map((part) => Number(part ?? 0));
  if (month < 1 || month > 12 || day < 1 || day > daysIn(year, month)) return Number.NaN;
  // 24:00 is the end of a day; nothing follows it.
  if (hour > 24 || (hour === 24 && minute + second > 0) || minute > 59 || second > 60) return Number.NaN;
  const fraction = Number((match[7] ?? "").padEnd(3, "0").slice(0, 3));
  const minutes = (daysBefore(year, month, day) * 24 + hour) * 60 + minute - zoneMinutes(match[8]);
  return (minutes * 60 + second) * 1_000 + fraction;
}

/** Returns days from 1 January 1970 in the Gregorian calendar; years begin in March so that leap days come last. */
function daysBefore(year: number, month: number, day: number): number {
  const marchYear = month > 2 ? year : year - 1;
  const marchMonth = (month + 9) % 12;
  const leapDays = Math.floor(marchYear / 4) - Math.floor(marchYear / 100) + Math.floor(marchYear / 400);
  return marchYear * 365 + leapDays + Math.floor((153 * marchMonth + 2) / 5) + day - 1 - 719_468;
}

function daysIn(year: number, month: number): number {
  return month === 12 ? 31 : daysBefore(year, month + 1, 1) - daysBefore(year, month, 1);
}

function zoneMinutes(zone: string | undefined): number {
  if (zone === undefined || zone.length < 6) return 0;
  const minutes = Number(zone.slice(1, 3)) * 60 + Number(zone.slice(4, 6));
  return zone.startsWith("-") ? -minutes : minutes;
}
