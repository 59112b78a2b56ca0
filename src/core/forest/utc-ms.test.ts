import { expect, test } from "vitest";
import { utcMsOf } from "./utc-ms.ts";

test.each<[text: string, same: string]>([
  ["2026-02-28T23:59:59Z", "2026-02-28T23:59:59.000Z"],
  ["2026-02-28T24:00:00Z", "2026-03-01T00:00:00.000Z"],
  ["2016-12-31T23:59:60Z", "2017-01-01T00:00:00.000Z"],
  ["2024-02-29T12:30:00.5+02:00", "2024-02-29T10:30:00.500Z"],
])("%s is %s", (text, same) => expect(new Date(utcMsOf(text)).toISOString()).toBe(same));

test.each([
  "2026-02-29T00:00:00Z",
  "2026-13-01T00:00:00Z",
  "2026-01-01T24:00:01Z",
  "2026-01-01T00:60:00Z",
  "2026-01-01T00:00:61Z",
])("%s is no time", (text) => expect(utcMsOf(text)).toBeNaN());
