import { request } from "node:http";
import { afterEach, beforeEach, expect, test } from "vitest";
import { scaled } from "../../../test/scale.ts";
import { ada, password, startSignInServer, type Browser, type SignInServer } from "./sign-in.test-support.ts";

let team: SignInServer;
let owner: Browser;

beforeEach(async () => {
  team = await startSignInServer();
  owner = await team.owner();
});
afterEach(() => team.close());

/** Tries to sign in from an address of the loopback network. Returns the status, and when to come again. */
function tryFrom(
  localAddress: string,
  email: string,
  given: string,
): Promise<{ readonly status: number; readonly after: number }> {
  const { hostname, port, origin } = new URL(team.signIn.parts.origin);
  const body = JSON.stringify({ email, password: given });
  return new Promise((resolve, reject) => {
    const sent = request(
      {
        host: "127.0.0.1",
        port,
        localAddress,
        path: "/auth/sign-in/email",
        method: "POST",
        agent: false,
        headers: {
          host: `${hostname}:${port}`,
          origin,
          "content-type": "application/json",
          "content-length": Buffer.byteLength(body),
        },
      },
      (response) => {
        response.resume();
        const after = Number(response.headers["retry-after"] ?? 0);
        response.on("end", () => resolve({ status: response.statusCode ?? 0, after }));
      },
    );
    sent.on("error", reject);
    sent.end(body);
  });
}

const pause = (ms: number): Promise<void> => new Promise((resolve) => void setTimeout(resolve, ms));

/** How long the slowest hundredth of somebody's requests took while `during` ran. Milliseconds. */
async function slowestOf(during: Promise<unknown>): Promise<number> {
  const state = { isOver: false };
  void during.finally(() => (state.isOver = true));
  const times: number[] = [];
  while (!state.isOver) {
    const begun = performance.now();
    expect((await owner.get("/api/roots")).status).toBe(200);
    times.push(performance.now() - begun);
    await pause(10);
  }
  return times.toSorted((one, other) => one - other)[Math.floor(times.length * 0.99)] ?? 0;
}

/** Signs in as a person does, who comes again when they are told to. Returns how often they tried. */
async function patiently(): Promise<number> {
  for (let tries = 1; tries <= 5; tries += 1) {
    const { status, after } = await tryFrom("127.200.0.1", ada.email, password);
    if (status === 200) return tries;
    expect(status).toBe(429);
    await pause(after * 1000);
  }
  throw new Error("the right password signs in");
}

// Other systems give a process one address of the loopback network.
test.runIf(process.platform === "linux")(
  "A-31 a storm of wrong passwords from many addresses is bounded, and holds up nobody else",
  async () => {
    const tries = scaled(600, 10_000);
    const addresses = Math.ceil(tries / 10);
    const statuses = new Map<number, number>();
    const memory = process.memoryUsage().rss;
    let made = 0;
    async function attack(): Promise<void> {
      while (made < tries) {
        const each = made;
        made += 1;
        const place = each % addresses;
        const { status } = await tryFrom(
          `127.${100 + Math.floor(place / 65_025)}.${Math.floor(place / 255) % 255}.${(place % 255) + 1}`,
          `somebody${each}@example.org`,
          "wrong password",
        );
        statuses.set(status, (statuses.get(status) ?? 0) + 1);
      }
    }
    const storm = Promise.all(Array.from({ length: 64 }, () => attack()));
    const person = pause(300).then(patiently);
    const slowest = await slowestOf(storm);
    expect(await person).toBeLessThanOrEqual(5);
    // Each try was judged or sent away with a time; none was an error, and the queue did refuse.
    expect([...statuses.keys()].toSorted((one, other) => one - other)).toEqual([401, 429]);
    expect([...statuses.values()].reduce((sum, count) => sum + count, 0)).toBe(tries);
    expect(statuses.get(429)).toBeGreaterThan(0);
    // The clients of the storm share this process and its processors with the server: a bound, not a comparison.
    expect(slowest).toBeLessThan(1000);
    expect(process.memoryUsage().rss - memory).toBeLessThan(300e6);
    // The log says that there was a storm, in far fewer entries than it had tries.
    const refused = (await team.signIn.parts.store.audit(0, 100_000)).filter(({ act }) =>
      act.startsWith("sign-in.ref"),
    );
    expect(refused.length).toBeGreaterThan(0);
    expect(refused.length).toBeLessThanOrEqual(addresses);
  },
  10 * 60_000,
);
