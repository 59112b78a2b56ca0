import { expect, test } from "vitest";
import { Listeners } from "./listeners.ts";

test("listeners hear each event in the order in which they subscribed, until they unsubscribe", () => {
  const heard: string[] = [];
  const listeners = new Listeners<string>();
  const stop = listeners.subscribe((event) => void heard.push(`first ${event}`));
  listeners.subscribe((event) => void heard.push(`second ${event}`));
  listeners.publish("a");
  stop();
  stop();
  listeners.publish("b");
  expect(heard).toEqual(["first a", "second a", "second b"]);
});

test("a listener that subscribes twice is called twice, and once after one of them has ended", () => {
  let calls = 0;
  const listeners = new Listeners<null>();
  const listener = (): void => {
    calls += 1;
  };
  const stop = listeners.subscribe(listener);
  listeners.subscribe(listener);
  listeners.publish(null);
  expect(calls).toBe(2);
  stop();
  listeners.publish(null);
  expect(calls).toBe(3);
});
