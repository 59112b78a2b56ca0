import { expect, test } from "vitest";
import { AttemptLimits } from "./attempt-limits.ts";

/** Work that runs until it is ended. */
function openWork() {
  const ends: (() => void)[] = [];
  const begun: string[] = [];
  const work = (name: string) => async (): Promise<string> => {
    begun.push(name);
    await new Promise<void>((resolve) => ends.push(resolve));
    return name;
  };
  /** Ends the work that began first, and waits until what follows has begun. */
  const end = async (): Promise<void> => {
    ends.shift()?.();
    await new Promise((resolve) => void setImmediate(resolve));
  };
  return { begun, work, end };
}

test("A-31 two hashes run at once, 32 wait, and the next is told to come later", async () => {
  const limits = new AttemptLimits({ monotonic: () => 0 });
  const { begun, work, end } = openWork();
  const all = Array.from({ length: 40 }, (_, each) => limits.hashing("net", work(String(each))));
  expect(begun).toEqual(["0", "1"]);
  expect(await Promise.all(all.slice(34))).toEqual([null, null, null, null, null, null]);
  for (let done = 1; done <= 34; done += 1) {
    await end();
    expect(begun).toHaveLength(Math.min(34, done + 2));
  }
  expect(await Promise.all(all.slice(0, 34))).toEqual(Array.from({ length: 34 }, (_, each) => String(each)));
  const later = limits.hashing("net", work("later"));
  await end();
  expect(await later).toBe("later");
});

test("A-31 who was not refused comes before networks that were, also where the queue is full", async () => {
  let now = 0;
  const limits = new AttemptLimits({ monotonic: () => now });
  const { begun, work, end } = openWork();
  for (let tries = 0; tries < 3; tries += 1) limits.refusedFrom("attacker");
  const storm = Array.from({ length: 34 }, (_, each) => limits.hashing("attacker", work(`storm ${each}`)));
  const person = limits.hashing("home", work("person"));
  await end();
  expect(begun).toEqual(["storm 0", "storm 1", "person"]);
  // One that waited gave its place, and is told to come later.
  const settled = await Promise.race([...storm.slice(2), new Promise((resolve) => void setImmediate(resolve, "none"))]);
  expect(settled).toBeNull();
  await end();
  await end();
  expect(await person).toBe("person");
  // After a quarter of an hour without a refusal, the network is like any other.
  now = 16 * 60_000;
  const forgiven = limits.hashing("attacker", work("forgiven"));
  await end();
  expect(begun.at(-1)).toBe("forgiven");
  for (let left = 0; left < 40; left += 1) await end();
  expect(await forgiven).toBe("forgiven");
});
