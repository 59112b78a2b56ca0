import { expect, test } from "vitest";
import { mountHook } from "./render-hook.test-support.ts";
import { unsavedText, useUnsaved } from "./kept/use-unsaved.ts";

const mounted = (saved: string) =>
  mountHook((text: string) => useUnsaved("test.words", text)).then(async (hook) => {
    await hook.render(saved);
    return hook;
  });

test("17.10 words are kept until they are forgotten, also when their field was away", async () => {
  const first = await mounted("saved");
  expect(first.results.at(-1)?.text).toBe("saved");
  first.results.at(-1)?.write("half a sentence");
  await first.unmount();

  const second = await mounted("saved");
  expect(second.results.at(-1)?.text).toBe("half a sentence");
  second.results.at(-1)?.forget();
  await second.unmount();

  const third = await mounted("saved");
  expect(third.results.at(-1)?.text).toBe("saved");
  await third.unmount();
});

test("a text that is as it was, or empty, is not kept", async () => {
  const field = await mounted("saved");
  for (const text of ["saved", ""]) {
    field.results.at(-1)?.write("other");
    expect(unsavedText("test.words").get()).toBe("other");
    field.results.at(-1)?.write(text);
    expect(unsavedText("test.words").get()).toBe("");
  }
  await field.unmount();
});
