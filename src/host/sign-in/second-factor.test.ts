import { WebSocket } from "ws";
import { afterEach, beforeEach, expect, test } from "vitest";
import { openMemoryStore } from "../../adapters/storage/memory/open-memory-store.ts";
import type { Store } from "../../core/port/store.ts";
import { timeCode } from "../../testing/time-code.ts";
import { ada, password, startSignInServer, type Browser, type SignInServer } from "./sign-in.test-support.ts";

let store: Store;
let team: SignInServer;
let owner: Browser;
const closing: (() => unknown)[] = [];

beforeEach(async () => {
  store = openMemoryStore();
  team = await startSignInServer({ store });
  closing.push(() => team.close());
  owner = await team.owner();
});
afterEach(async () => {
  for (const close of closing.splice(0).toReversed()) await close();
});

const isSignedIn = async (browser: Browser): Promise<boolean> =>
  (await browser.get("/auth/state")).body.person !== null;
const give = (browser: Browser, code: string) => browser.post("/auth/two-factor/verify-totp", { code });
const recover = (browser: Browser, code: string) => browser.post("/auth/two-factor/verify-backup-code", { code });

/** A browser in which the password was right. */
async function withPassword(): Promise<Browser> {
  const browser = team.browser();
  const answer = await browser.post("/auth/sign-in/email", { email: ada.email, password });
  expect([answer.status, browser.cookies.has("heddle")]).toEqual([200, answer.body["twoFactorRedirect"] !== true]);
  return browser;
}

/** Sets up a second factor with the code of half a minute ago, so that those of now are not used yet. */
async function setUp(browser: Browser): Promise<{ readonly uri: string; readonly codes: readonly string[] }> {
  const { status, body } = await browser.post("/auth/two-factor/enable", { password });
  expect(status).toBe(200);
  const [uri, codes] = [String(body["totpURI"]), body["backupCodes"] as readonly string[]];
  expect((await give(browser, timeCode(uri, -1))).status).toBe(200);
  return { uri, codes };
}

function socketOf(browser: Browser): Promise<{ readonly code: number; readonly closed: Promise<unknown> }> {
  const socket = new WebSocket(`${team.server.url.replace("http", "ws")}/ws`, {
    headers: { cookie: browser.cookie("/ws") },
  });
  closing.push(() => socket.terminate());
  const closed = new Promise((resolve) => socket.on("close", resolve));
  return new Promise((resolve) => {
    socket.on("open", () => resolve({ code: 101, closed }));
    socket.on("unexpected-response", (_, response) => resolve({ code: response.statusCode ?? 0, closed }));
    socket.on("error", () => {});
  });
}

test("A-30 a right password without the second factor opens no session, socket or list", async () => {
  await setUp(owner);
  const browser = await withPassword();
  expect(await isSignedIn(browser)).toBe(false);
  expect((await socketOf(browser)).code).toBe(401);
  for (const path of ["/api/roots", "/auth/sessions", "/auth/people"])
    expect([path, (await browser.get(path)).status]).toEqual([path, 401]);
  expect((await browser.get("/auth/passkey/generate-register-options")).status).toBe(401);
  expect((await browser.post("/auth/two-factor/disable", { password })).status).toBe(401);
});

test("A-30 a code opens once, also in two windows at once, and not two steps away", async () => {
  const { uri } = await setUp(owner);
  const used = await withPassword();
  expect((await give(used, timeCode(uri, -1))).status).toBe(401);
  const far = await withPassword();
  for (const steps of [3, -3]) expect((await give(far, timeCode(uri, steps))).status).toBe(401);
  const windows = await Promise.all([withPassword(), withPassword()]);
  const code = timeCode(uri);
  const answers = await Promise.all(windows.map((each) => give(each, code)));
  expect(answers.map(({ status }) => status).toSorted((one, other) => one - other)).toEqual([200, 401]);
  const open = await Promise.all([used, far, ...windows].map((each) => isSignedIn(each)));
  expect(open.filter((each) => each)).toHaveLength(1);
});

test("A-30 five wrong codes end the sign-in, also for the right one", async () => {
  const { uri } = await setUp(owner);
  const browser = await withPassword();
  const right = timeCode(uri);
  const wrong = right === "000000" ? "111111" : "000000";
  for (let tries = 0; tries < 5; tries += 1) expect((await give(browser, wrong)).status).toBe(401);
  const late = await give(browser, right);
  expect([late.status, late.body.error.code]).toEqual([429, "RATE_LIMITED"]);
  expect((await give(browser, right)).status).toBe(401);
  expect(await isSignedIn(browser)).toBe(false);
});

test("A-30 a recovery code signs in once in place of a code; new ones replace it", async () => {
  const { codes } = await setUp(owner);
  const [first = "", second = "", third = ""] = codes;
  expect([codes.length, new Set(codes).size]).toEqual([10, 10]);
  const browser = await withPassword();
  expect((await recover(browser, first)).status).toBe(200);
  expect(await isSignedIn(browser)).toBe(true);
  const again = await withPassword();
  expect((await recover(again, first)).status).toBe(401);
  expect((await recover(again, second)).status).toBe(200);
  const made = await again.post("/auth/two-factor/generate-backup-codes", { password });
  expect(made.body["backupCodes"]).toHaveLength(10);
  expect((await recover(await withPassword(), third)).status).toBe(401);
  expect(JSON.stringify(await store.signInFacts())).not.toContain(third);
});

test("A-35 turning a second factor on or off ends the person's other sessions with their sockets, and renews the own", async () => {
  const other = await withPassword();
  const socket = await socketOf(other);
  const own = await socketOf(owner);
  const before = owner.cookie("/");
  await setUp(owner);
  const begun = performance.now();
  await socket.closed;
  expect(performance.now() - begun).toBeLessThan(1000);
  expect([await isSignedIn(other), await isSignedIn(owner)]).toEqual([false, true]);
  // The page that made the change goes on, under another secret.
  expect(owner.cookie("/")).not.toBe(before);
  const old = await fetch(`${team.server.url}/api/roots`, { headers: { cookie: before } });
  expect(old.status).toBe(401);
  expect(await Promise.race([own.closed.then(() => "closed"), owner.get("/auth/state").then(() => "open")])).toBe(
    "open",
  );
  expect((await owner.get("/auth/state")).body.person).toMatchObject({ hasSecondFactor: true });

  const codes = await owner.post("/auth/two-factor/generate-backup-codes", { password });
  const [code = ""] = codes.body["backupCodes"] as readonly string[];
  const again = await withPassword();
  await recover(again, code);
  const late = await socketOf(again);
  expect((await owner.post("/auth/two-factor/disable", { password: "wrong password" })).status).toBe(400);
  expect(await isSignedIn(again)).toBe(true);
  expect((await owner.post("/auth/two-factor/disable", { password })).status).toBe(200);
  await late.closed;
  expect([await isSignedIn(again), await isSignedIn(owner)]).toEqual([false, true]);
  const plain = await withPassword();
  expect(await isSignedIn(plain)).toBe(true);
});

test("A-35 a browser whose session was ended changes nothing about how its person signs in", async () => {
  const stolen = await withPassword();
  const { body } = await stolen.post("/auth/two-factor/enable", { password });
  expect((await owner.post("/auth/sessions/end", { others: true })).body).toEqual({ ended: 1 });
  const confirmed = await give(stolen, timeCode(String(body["totpURI"])));
  expect([confirmed.status, await isSignedIn(stolen)]).toEqual([401, false]);
  expect((await owner.get("/auth/state")).body.person).toMatchObject({ hasSecondFactor: false });
  const tries = [
    stolen.get("/auth/passkey/generate-register-options"),
    stolen.post("/auth/passkey/verify-registration", { response: {}, name: "Mine" }),
    stolen.post("/auth/two-factor/enable", { password }),
    stolen.post("/auth/change-password", { currentPassword: password, newPassword: "another long password" }),
  ];
  for (const { status } of await Promise.all(tries)) expect(status).toBe(401);
  expect((await owner.get("/auth/sessions")).body.sessions).toHaveLength(1);
});
