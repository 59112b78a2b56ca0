import { afterEach, beforeEach, expect, test } from "vitest";
import { openMemoryStore } from "../../adapters/storage/memory/open-memory-store.ts";
import type { Store } from "../../core/port/store.ts";
import { startTestProvider, type ProviderFault, type TestProvider } from "../../testing/test-provider.ts";
import { ada, startSignInServer, type Browser, type SignInServer } from "./sign-in.test-support.ts";

let store: Store;
let team: SignInServer;
let provider: TestProvider;
let owner: Browser;

beforeEach(async () => {
  store = openMemoryStore();
  [team, provider] = await Promise.all([startSignInServer({ store }), startTestProvider()]);
  owner = await team.owner();
});
afterEach(async () => {
  await team.close();
  await provider.close();
});

const configured = async (): Promise<void> => {
  const { issuer, clientId, clientSecret } = provider;
  const set = await owner.post("/auth/sign-on/set", { issuer, clientId, clientSecret, name: "Mill" });
  expect(set).toMatchObject({ status: 200 });
};
/** Sends a browser to the provider, and returns the address that it is sent back to. */
const sentBack = async (browser: Browser, wish: object = {}): Promise<string> => {
  const begun = await browser.post("/auth/sign-on/begin", wish);
  expect(begun).toMatchObject({ status: 200 });
  const answer = await fetch(String(begun.body["address"]), { redirect: "manual" });
  const back = new URL(answer.headers.get("location") ?? "");
  return back.pathname + back.search;
};
/** What a browser is shown that comes from the provider's page. */
const comeBack = (browser: Browser, address: string) => browser.open(address);
const signOn = async (browser: Browser, wish: object = {}) => comeBack(browser, await sentBack(browser, wish));
const nameOf = async (browser: Browser): Promise<string | null> =>
  (await browser.get("/auth/state")).body.person?.name ?? null;
const invite = async (email: string | null): Promise<string> => {
  const made = await owner.post("/auth/people/invite", { email, role: "editor" });
  return String(made.body["link"]).split("#link=")[1] ?? "";
};
const acts = async (): Promise<readonly string[]> => (await store.audit(0, 1_000)).map(({ act }) => act);

test("A-33 who is invited joins with an account elsewhere, signs in with it, and is out once the account here ended", async () => {
  await configured();
  provider.person = { sub: "7", name: "Bob Reed", email: "Bob@Example.org", email_verified: true };
  const [bob, later] = [team.browser(), team.browser()];
  const joined = await signOn(bob, { link: await invite("bob@example.org") });
  expect([joined.status, await nameOf(bob)]).toEqual([200, "Bob Reed"]);
  // The page goes on by itself: a strict cookie set on a redirect from elsewhere would not be sent.
  expect(joined.text).toContain('http-equiv="refresh" content="0;url=/"');
  expect(bob.cookies.get("heddle")?.attributes).toContain("SameSite=Strict");
  await signOn(later);
  expect(await nameOf(later)).toBe("Bob Reed");
  const { body } = await later.get("/auth/state");
  await owner.post("/auth/people/remove", { person: body.person?.id });
  expect([await nameOf(bob), await nameOf(later)]).toEqual([null, null]);
  expect([(await signOn(later)).status, await nameOf(later)]).toEqual([401, null]);
  expect(await acts()).toEqual(expect.arrayContaining(["sign-on.set", "session.started", "sign-on.refused"]));
});

test("A-33 an account elsewhere with the email address of an account here opens nothing, and connects by its person alone", async () => {
  await configured();
  provider.person = { sub: "1", name: "Ada", email: ada.email, email_verified: true };
  const thief = team.browser();
  expect([(await signOn(thief)).status, await nameOf(thief)]).toEqual([401, null]);
  // Nor does an invitation make a second account of the address.
  expect([(await signOn(thief, { link: await invite(null) })).status, await nameOf(thief)]).toEqual([400, null]);
  const other = team.browser();
  await other.post("/auth/sign-in/email", ada);
  const page = await signOn(owner, { connect: true });
  expect([page.status, await nameOf(owner), await nameOf(other)]).toEqual([200, "Ada", null]);
  await signOn(other);
  expect(await nameOf(other)).toBe("Ada");
  expect((await owner.post("/auth/sign-on/disconnect", {})).status).toBe(200);
  const again = team.browser();
  expect([(await signOn(again)).status, await nameOf(again)]).toEqual([401, null]);
});

test("A-33 an address that the provider has not confirmed, or another one than the invitation's, makes no account", async () => {
  await configured();
  const bob = team.browser();
  for (const person of [
    { sub: "7", email: "bob@example.org" },
    { sub: "7", email: "bob@example.org", email_verified: false },
    { sub: "7" },
    { sub: "7", email: "eve@example.org", email_verified: true },
  ]) {
    provider.person = person;
    expect([(await signOn(bob, { link: await invite("bob@example.org") })).status, await nameOf(bob)]).toEqual([
      403,
      null,
    ]);
  }
  expect((await owner.get("/auth/people")).body["people"]).toHaveLength(1);
});

test("A-33 a token with another issuer, nonce, audience, key or time, or none, opens nothing", async () => {
  await configured();
  provider.person = { sub: "7", name: "Bob", email: "bob@example.org", email_verified: true };
  const bob = team.browser();
  await signOn(bob, { link: await invite(null) });
  const faults: Readonly<Record<ProviderFault, true>> = {
    issuer: true,
    nonce: true,
    audience: true,
    signature: true,
    expired: true,
    "no-token": true,
  };
  for (const fault of Object.keys(faults) as ProviderFault[]) {
    provider.fault = fault;
    const browser = team.browser();
    expect([fault, (await signOn(browser)).status, await nameOf(browser)]).toEqual([fault, 401, null]);
  }
  provider.fault = null;
  const browser = team.browser();
  expect([(await signOn(browser)).status, await nameOf(browser)]).toEqual([200, "Bob"]);
});

test("A-33 what comes back with another state, issuer or code, twice, or in another browser opens nothing", async () => {
  await configured();
  provider.person = { sub: "7", name: "Bob", email: "bob@example.org", email_verified: true };
  const bob = team.browser();
  await signOn(bob, { link: await invite(null) });
  const changed = (address: string, key: string, value: string | null): string => {
    const url = new URL(address, "http://x");
    if (value === null) url.searchParams.delete(key);
    else url.searchParams.set(key, value);
    return url.pathname + url.search;
  };
  for (const [key, value] of [
    ["state", "another"],
    ["state", null],
    ["iss", "https://elsewhere.example.org"],
    ["iss", null],
    ["code", "another"],
    ["error", "access_denied"],
  ] as const) {
    const browser = team.browser();
    const page = await comeBack(browser, changed(await sentBack(browser), key, value));
    expect([key, value, page.status, await nameOf(browser)]).toEqual([key, value, 401, null]);
  }
  const [one, two] = [team.browser(), team.browser()];
  const address = await sentBack(one);
  expect([(await comeBack(two, address)).status, await nameOf(two)]).toEqual([401, null]);
  expect([(await comeBack(one, address)).status, await nameOf(one)]).toEqual([200, "Bob"]);
  await one.post("/auth/sign-out", {});
  expect([(await comeBack(one, address)).status, await nameOf(one)]).toEqual([401, null]);
});

test("A-33 only an owner who signed in just now says where accounts are, and its secret is told to nobody", async () => {
  await configured();
  provider.person = { sub: "7", name: "Bob", email: "bob@example.org", email_verified: true };
  const bob = team.browser();
  await signOn(bob, { link: await invite(null) });
  const { issuer, clientId, clientSecret } = provider;
  const wish = { issuer, clientId, clientSecret, name: "Mine" };
  expect((await bob.post("/auth/sign-on/set", wish)).status).toBe(403);
  expect((await bob.post("/auth/sign-on/remove", {})).status).toBe(403);
  expect((await team.browser().post("/auth/sign-on/set", wish)).status).toBe(401);
  for (const bad of [
    "http://login.example.org",
    "ftp://127.0.0.1",
    "https://127.0.0.1:9",
    `${issuer}/elsewhere`,
    "words",
  ]) {
    expect([bad, (await owner.post("/auth/sign-on/set", { ...wish, issuer: bad })).status]).toEqual([bad, 400]);
  }
  const told = JSON.stringify([
    (await owner.get("/auth/sign-on")).body,
    (await bob.get("/auth/state")).body,
    await store.signInFacts(),
    await store.audit(0, 1_000),
  ]);
  expect(told).not.toContain(clientSecret);
  expect((await owner.post("/auth/sign-on/remove", {})).status).toBe(200);
  expect((await team.browser().post("/auth/sign-on/begin", {})).status).toBe(404);
});
