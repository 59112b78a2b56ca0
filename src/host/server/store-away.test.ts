import { afterEach, expect, test } from "vitest";
import { openMemoryStore } from "../../adapters/storage/memory/open-memory-store.ts";
import { StoreAwayError, StoreCrashedError } from "../../adapters/storage/shared/store-error.ts";
import { connectHeddle } from "../../client/connect.ts";
import type { Store } from "../../core/port/store.ts";
import { refusal } from "../../core/base/errors.ts";
import { err } from "../../core/base/result.ts";
import { accept } from "../../core/base/result.test-support.ts";
import { until } from "../../testing/test-client.ts";
import { startTestServer } from "../../testing/test-server.ts";

const closing: (() => unknown)[] = [];

afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

test.each([
  ["away temporarily", () => new StoreAwayError("the database cannot be reached")],
  ["lost, with the process about to end", () => new StoreCrashedError("the database went away")],
])(
  "text typed while the store is %s stays in the page, and is stored when the store is back",
  async (_how, problem) => {
    let refusals = 0;
    const whole = openMemoryStore();
    const store: Store = new Proxy(whole, {
      get(target, name: keyof Store) {
        const does: unknown = target[name];
        if (typeof does !== "function") return does;
        return async (...given: unknown[]): Promise<unknown> => {
          if (refusals > 0 && (name === "commit" || name === "block")) {
            refusals -= 1;
            if (name === "block") throw problem();
            return err({ ...refusal("STORE_FAILED"), index: 0, reason: "away" });
          }
          return does.apply(target, given);
        };
      },
    });
    const server = await startTestServer({ store, welcome: false });
    closing.push(() => server.close());
    const client = connectHeddle({
      url: server.url,
      token: server.token,
      clientId: "typing-all-the-time",
      // No test waits for a second here.
      platform: {
        setTimer: (delayMs, callback) => {
          const timer = setTimeout(callback, delayMs / 50);
          return () => clearTimeout(timer);
        },
      },
    });
    closing.push(() => client.close());
    await until(client.state, ({ type }) => type === "live");
    const { canvasId } = accept(await client.call("canvas.create", { title: "Notes", text: "one" }));
    const text = client.openText(canvasId);
    await until(text.header, (header) => header !== null);
    // The commit is refused, and the block is read again three times before the store is back.
    refusals = 4;
    text.edit([{ from: 3, to: 3, insert: " and two" }]);
    await until(text.unconfirmed, (waiting) => waiting === 0);
    expect(text.text()).toBe("one and two");
    expect(text.refused.get()).toBeNull();
    expect(refusals).toBe(0);
    expect(accept(await server.workspace.hub.reader.read(canvasId)).text).toBe("one and two");
  },
);
