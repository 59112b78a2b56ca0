import { WebSocket } from "ws";
import { afterEach, beforeEach, expect, test } from "vitest";
import { firstBrokenEntry } from "../../core/rights/audit.ts";
import { accept } from "../../core/base/result.test-support.ts";
import { openMemoryStore } from "../../adapters/storage/memory/open-memory-store.ts";
import { sha256Hex } from "../../core/base/hash.ts";
import type { Store } from "../../core/port/store.ts";
import { ada, password, startSignInServer, type Browser, type SignInServer } from "./sign-in.test-support.ts";

let store: Store;
let team: SignInServer;
const closing: (() => unknown)[] = [];

beforeEach(async () => {
  store = openMemoryStore();
  team = await startSignInServer({ store });
  closing.push(() => team.close());
});
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

const secretOf = (address: string): string => address.split("#link=")[1] ?? "";
const ownerSecret = async (): Promise<string> => secretOf(accept(await team.signIn.link({ type: "owner" })));
const signedIn = async (browser: Browser): Promise<string | null> =>
  (await browser.get("/auth/state")).body.person?.name ?? null;
const signInAs = (browser: Browser, email: string, given = password) =>
  browser.post("/auth/sign-in/email", { email, password: given });

function socketWith(browser: Browser): Promise<{ readonly code: number; readonly socket: WebSocket }> {
  const url = team.server.url.replace("http", "ws");
  const socket = new WebSocket(`${url}/ws`, { headers: { cookie: browser.cookie("/ws") } });
  closing.push(() => socket.terminate());
  return new Promise((resolve) => {
    socket.on("open", () => resolve({ code: 101, socket }));
    socket.on("unexpected-response", (_, response) => resolve({ code: response.statusCode ?? 0, socket }));
    socket.on("error", () => {});
  });
}

test("A-27 the first owner's link works once, within its time, and replaces the one before", async () => {
  const first = await ownerSecret();
  const secret = await ownerSecret();
  const browser = team.browser();
  expect((await browser.post("/auth/accept", { secret: first, ...ada })).status).toBe(404);
  expect((await browser.post("/auth/link", { secret })).body).toMatchObject({ type: "owner" });
  const both = await Promise.all(
    [ada, { ...ada, name: "Eve", email: "eve@example.org" }].map((who) =>
      team.browser().post("/auth/accept", { secret, ...who }),
    ),
  );
  expect(both.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([200, 403]);
  expect(team.server.workspace.team?.rights.people.size).toBe(1);
  expect((await store.signInFacts()).filter(({ key }) => key.startsWith("login.user "))).toHaveLength(1);
  // Another link made after there is an owner opens nothing either.
  const late = await ownerSecret();
  const refused = await team.browser().post("/auth/accept", { secret: late, ...ada, email: "late@example.org" });
  expect([refused.status, refused.body.error.code]).toEqual([403, "FORBIDDEN"]);
  expect(firstBrokenEntry(await store.audit(0, 99))).toBeNull();
});

test("A-28 the cookie has exactly its flags, and its value is nowhere but in it", async () => {
  const browser = await team.owner();
  const cookie = browser.cookies.get("heddle");
  expect(cookie?.attributes).toBe("Max-Age=7776000; Path=/; HttpOnly; SameSite=Strict");
  expect(cookie?.value).toMatch(/^[\w-]{43}$/);
  const kept = JSON.stringify([
    await store.signInFacts(),
    await store.audit(0, 99),
    await browser.get("/auth/sessions"),
  ]);
  expect(kept).not.toContain(cookie?.value);
  expect(kept).toContain(sha256Hex(cookie?.value ?? ""));
  expect(kept).not.toContain(password);
  const answer = await signInAs(team.browser(), ada.email);
  expect(answer.body).toEqual({ signedIn: true });
});

test("signing in, out, and with a wrong password or an unknown address, which are answered alike", async () => {
  await team.owner();
  const browser = team.browser();
  expect((await browser.get("/api/roots")).status).toBe(401);
  expect((await socketWith(browser)).code).toBe(401);
  const [wrong, unknown] = [await signInAs(browser, ada.email, "wrong password"), await signInAs(browser, "x@y.org")];
  expect(wrong.status).toBe(401);
  expect(unknown).toEqual(wrong);
  expect(await signedIn(browser)).toBeNull();
  await signInAs(browser, "ADA@example.org");
  expect(await signedIn(browser)).toBe("Ada");
  const { code, socket } = await socketWith(browser);
  expect(code).toBe(101);
  const closed = new Promise((resolve) => socket.on("close", resolve));
  const old = browser.cookie("/");
  await browser.post("/auth/sign-out", {});
  await closed;
  expect([browser.cookies.size, await signedIn(browser)]).toEqual([0, null]);
  const again = await fetch(`${team.server.url}/api/roots`, { headers: { cookie: old } });
  expect(again.status).toBe(401);
});

test("17.18 who signs out, or is signed out elsewhere, is sent nothing more in that browser", async () => {
  const [here, elsewhere] = [await team.owner(), team.browser()];
  await signInAs(elsewhere, ada.email);
  const browser = {
    p256dh: "BCVxsr7N_eNgVRqvHtD0zTZsEc6-VV-JvLexhqUzORcxaOzi6-AYWXvTBHm4bjyPjs7Vd8pZGH6SRpkNtoIAiw4",
    auth: "BTBZMqHH6r4Tts7J_aSIgg",
    page: team.server.url,
  };
  const subscribe = async (who: typeof here, name: string): Promise<number> =>
    (await who.post("/api/commands/push.subscribe", { ...browser, endpoint: `https://push.example.org/${name}` }))
      .status;
  expect([await subscribe(here, "here"), await subscribe(elsewhere, "elsewhere")]).toEqual([200, 200]);
  const stored = async (): Promise<string[]> =>
    Array.from(
      JSON.stringify(await store.meta("push.browsers")).matchAll(/push\.example\.org(\/\w+)/g),
      ([, path = ""]) => path,
    );
  expect(await stored()).toEqual(["/here", "/elsewhere"]);
  await here.post("/auth/sign-out", {});
  await expect.poll(stored).toEqual(["/elsewhere"]);
});

test("A-35 A-36 the cookie before a sign-in opens nothing after it, and open pages go on", async () => {
  const browser = await team.owner();
  const before = browser.cookie("/");
  const { socket } = await socketWith(browser);
  let isClosed = false;
  socket.on("close", () => (isClosed = true));
  await signInAs(browser, ada.email);
  expect(browser.cookie("/")).not.toBe(before);
  expect((await fetch(`${team.server.url}/api/roots`, { headers: { cookie: before } })).status).toBe(401);
  expect(await signedIn(browser)).toBe("Ada");
  expect(isClosed).toBe(false);
  expect((await browser.get("/auth/sessions")).body.sessions).toHaveLength(1);
});

test("a person sees their sessions and ends one, or all others, with what is open in them", async () => {
  const one = await team.owner();
  const [two, three] = [team.browser(), team.browser()];
  for (const browser of [two, three]) await signInAs(browser, ada.email);
  const { socket } = await socketWith(two);
  const closed = new Promise((resolve) => socket.on("close", resolve));
  const { sessions } = (await two.get("/auth/sessions")).body;
  expect(sessions.map(({ isThis }: { isThis: boolean }) => isThis)).toContain(true);
  expect(sessions).toHaveLength(3);
  const second = sessions.find(({ isThis }: { isThis: boolean }) => isThis);
  expect((await one.post("/auth/sessions/end", { id: second?.id })).body).toEqual({ ended: 1 });
  await closed;
  expect([await signedIn(two), await signedIn(three)]).toEqual([null, "Ada"]);
  expect((await one.post("/auth/sessions/end", { id: second?.id })).status).toBe(404);
  expect((await one.post("/auth/sessions/end", { others: true })).body).toEqual({ ended: 1 });
  expect([await signedIn(one), await signedIn(three)]).toEqual(["Ada", null]);
  expect((await one.post("/auth/sessions/end", {})).status).toBe(400);
});

test("A-29 every other address below /auth is missing, also those that the library knows", async () => {
  const browser = await team.owner();
  const { paths } = team.signIn.parts.ceremonies;
  for (const path of [
    "/sign-up/email",
    "/get-session",
    "/list-sessions",
    "/update-user",
    "/delete-user",
    "/ok",
    "/error",
  ])
    for (const method of ["get", "post"] as const)
      expect([path, (await browser[method](`/auth${path}`, {})).status]).toEqual([path, 404]);
  for (const [path, method] of paths) {
    const other = method === "GET" ? await browser.post(`/auth${path}`, {}) : await browser.get(`/auth${path}`);
    expect([path, other.body.error.code]).toEqual([path, "UNKNOWN_METHOD"]);
  }
});

test("what is no form of a sign-in is refused, from other pages too, and stores nothing", async () => {
  const secret = await ownerSecret();
  const facts = await store.signInFacts();
  const browser = team.browser();
  for (const body of [
    { ...ada, password: "short" },
    { ...ada, email: "nobody" },
    { ...ada, name: "  " },
    { password },
    {},
  ])
    expect((await browser.post("/auth/accept", { secret, ...body })).body.error).toMatchObject({
      code: "INVALID_PARAMS",
    });
  const foreign = await fetch(`${team.server.url}/auth/accept`, {
    method: "POST",
    body: JSON.stringify({ secret, ...ada }),
    headers: { "content-type": "application/json", origin: "https://evil.example" },
  });
  expect(foreign.status).toBe(403);
  expect((await browser.post("/auth/accept", { secret, ...ada }, { "content-type": "text/plain" })).status).toBe(415);
  expect((await browser.post("/auth/accept", { secret, ...ada, x: "y".repeat(20_000) })).status).toBe(413);
  expect(await store.signInFacts()).toEqual(facts);
});

test("A-31 wrong passwords of one account make it wait, and do not hold up another", async () => {
  await team.owner();
  for (let tries = 0; tries < 6; tries += 1) await signInAs(team.browser(), "nobody@example.org", "wrong password");
  const waits = await signInAs(team.browser(), "nobody@example.org");
  expect([waits.status, waits.body.error.code]).toEqual([429, "RATE_LIMITED"]);
  expect((await signInAs(team.browser(), ada.email)).status).toBe(200);
});

test("A-32 headers of proxies do not say where a try is from", async () => {
  await team.owner();
  const answers = [];
  for (let tries = 0; tries < 22; tries += 1) {
    const headers = {
      "x-forwarded-for": `10.0.0.${tries}`,
      forwarded: `for=10.0.1.${tries}`,
      "x-real-ip": `10.1.0.${tries}`,
    };
    answers.push((await team.browser().post("/auth/link", { secret: "x" }, headers)).status);
  }
  expect(answers.slice(-2)).toEqual([429, 429]);
});

test("accounts, sessions and wrong rows live through a restart", async () => {
  const browser = await team.owner();
  await store.commit([
    { type: "put-sign-in", fact: { key: "session ab", record: { person: 1 } } },
    { type: "put-sign-in", fact: { key: "nonsense", record: {} } },
  ]);
  const again = await startSignInServer({ store: keptOpen(store) });
  closing.push(() => again.close());
  expect(again.signIn.hasOwner).toBe(true);
  const cookie = browser.cookie("/");
  const state = await fetch(`${again.server.url}/auth/state`, { headers: { cookie } });
  expect(await state.json()).toMatchObject({ person: { name: "Ada", email: ada.email, hasSecondFactor: false } });
  expect((await signInAs(again.browser(), ada.email)).status).toBe(200);
});

/** A store that its server does not close. */
function keptOpen(whole: Store): Store {
  return new Proxy(whole, {
    get(target, name) {
      if (name === "close") return async () => {};
      const member: unknown = Reflect.get(target, name);
      return typeof member === "function" ? member.bind(target) : member;
    },
  });
}
