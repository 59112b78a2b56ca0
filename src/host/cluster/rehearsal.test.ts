import { expect, test } from "vitest";
import { systemPlatform } from "../../adapters/platform/system-platform.ts";
import { rehearse, rehearsed } from "./rehearsal.ts";

test("a rehearsal serves all its clients at each take-over, as often as it is played, and logs nothing", async () => {
  const said: string[] = [];
  const platform = systemPlatform("info", (line) => void said.push(line));
  const { takeOvers, clients, editsOfEach } = rehearsed;
  expect(await rehearse(platform)).toBe(takeOvers * clients * editsOfEach);
  expect(await rehearse(platform)).toBe(takeOvers * clients * editsOfEach);
  expect(said).toEqual([]);
}, 30_000);
