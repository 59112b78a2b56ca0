import fc from "fast-check";
import { expect, test } from "vitest";
import { utcDayOf } from "./utc-day.ts";

test("utcDayOf gives the day that the platform's calendar gives, for every time of the years 0 to 9999", () => {
  const time = fc.date({
    min: new Date("0000-01-01T00:00:00Z"),
    max: new Date("9999-12-31T23:59:59.999Z"),
    noInvalidDate: true,
  });
  fc.assert(fc.property(time, (date) => utcDayOf(date.getTime()) === date.toISOString().slice(0, 10)));
  for (const day of ["1970-01-01", "2000-02-29", "2100-02-28", "2100-03-01", "2026-12-31"])
    expect(utcDayOf(Date.parse(`${day}T23:59:59.999Z`))).toBe(day);
});
