import { randomBytes, randomUUID } from "node:crypto";
import { setTimeout as delay } from "node:timers/promises";
import { connectTestClient } from "../../src/testing/test-client.ts";
import { usualBound, type Attack, type Target } from "./attack.ts";

/** What people with a token do who take more than their share. Others' typing must not stop for it. */

/** One client replaces a text of 300,000 characters as fast as the server takes it. */
export const rewrites: Attack = {
  says: "a client that rewrites 300,000 characters without a pause",
  async run({ port, token, seconds }: Target) {
    await edit({ port, token }, seconds, (text) => {
      if (text.unconfirmed.get() > 0) return;
      text.edit([{ from: 0, to: text.length, insert: randomBytes(150_000).toString("hex") }]);
    });
    return [];
  },
  bound: { ...usualBound, memoryMb: 300 },
};

/** Eight clients change single characters at full speed. */
export const tinyEdits: Attack = {
  says: "8 clients that change single characters at full speed",
  async run({ port, token, seconds }: Target) {
    const one = (): Promise<void> =>
      edit({ port, token }, seconds, (text) => {
        for (let each = 0; each < 20; each += 1) text.edit([{ from: 0, to: Math.min(1, text.length), insert: "y" }]);
      });
    await Promise.all(Array.from({ length: 8 }, one));
    return [];
  },
  bound: { ...usualBound, memoryMb: 300 },
};

async function edit(
  { port, token }: Pick<Target, "port" | "token">,
  seconds: number,
  change: (text: ReturnType<ReturnType<typeof connectTestClient>["openText"]>) => void,
): Promise<void> {
  const client = connectTestClient(
    { url: `http://127.0.0.1:${port}`, token },
    { clientId: `attacker-${randomUUID()}` },
  );
  const made = await client.call("canvas.create", { title: "Attacking", text: "" });
  if (!made.ok) throw new Error(made.error.message);
  const text = client.openText(made.value.canvasId);
  while (!text.ready) await delay(5);
  const end = performance.now() + seconds * 1000;
  while (performance.now() < end) {
    change(text);
    await delay(1);
  }
  client.close();
}

/** Says hello under a new client id each time. Ids that never wrote anything may leave nothing behind. */
export const newIds: Attack = {
  says: "hellos under a new client id each, as fast as they are answered",
  async run({ port, token, seconds }: Target) {
    const end = performance.now() + seconds * 1000;
    const one = async (): Promise<void> => {
      while (performance.now() < end) {
        const client = connectTestClient(
          { url: `http://127.0.0.1:${port}`, token },
          { clientId: `attacker-${randomUUID()}` },
        );
        for (let waited = 0; client.state.get().type !== "live" && waited < 2_000; waited += 2) await delay(2);
        client.close();
      }
    };
    await Promise.all(Array.from({ length: 8 }, one));
    return [];
  },
  // What the collector lets lie: a hello makes garbage, and keeps nothing.
  bound: { ...usualBound, memoryMb: 150 },
};
