import type { CDPSession, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { violations } from "./axe.ts";
import { isIn, isOut, settingsOf, signInElsewhere, startTeamPage, type TeamPage } from "./team-page.ts";

let team: TeamPage;
beforeAll(async () => {
  team = await startTeamPage();
});
afterAll(() => team?.close());

/** A device that holds passkeys, as the browser sees it: with a lock that its person opens, or a bare key. */
async function addDevice(cdp: CDPSession, hasLock = true): Promise<string> {
  const { authenticatorId } = await cdp.send("WebAuthn.addVirtualAuthenticator", {
    options: {
      protocol: "ctap2",
      transport: hasLock ? "internal" : "usb",
      hasResidentKey: true,
      hasUserVerification: hasLock,
      isUserVerified: hasLock,
      automaticPresenceSimulation: true,
    },
  });
  return authenticatorId;
}

async function deviceOf(page: Page): Promise<{ readonly cdp: CDPSession; readonly authenticatorId: string }> {
  const cdp = await page.context().newCDPSession(page);
  await cdp.send("WebAuthn.enable");
  return { cdp, authenticatorId: await addDevice(cdp) };
}

/** What a page asks the server for before it signs in with a passkey. */
function optionsFor(page: Page): Promise<PublicKeyCredentialRequestOptionsJSON> {
  return page.evaluate(async () => (await fetch("/auth/passkey/generate-authenticate-options")).json());
}

/** What a passkey of the device signs for a page that names the key, and wants no proof of the person. */
function signedBy(page: Page, options: PublicKeyCredentialRequestOptionsJSON, credentialId: string): Promise<unknown> {
  const id = Buffer.from(credentialId, "base64").toString("base64url");
  const wanted = { ...options, userVerification: "discouraged", allowCredentials: [{ id, type: "public-key" }] };
  return page.evaluate(async (json) => {
    const publicKey = PublicKeyCredential.parseRequestOptionsFromJSON(json);
    const given = await navigator.credentials.get({ publicKey });
    return given instanceof PublicKeyCredential ? given.toJSON() : null;
  }, wanted);
}

/** The server's answer to what a passkey signed. */
function statusOf(page: Page, response: unknown): Promise<number> {
  return page.evaluate(async (signed) => {
    const headers = { "content-type": "application/json" };
    const body = JSON.stringify({ response: signed });
    return (await fetch("/auth/passkey/verify-authentication", { method: "POST", headers, body })).status;
  }, response);
}

test("A-34 a passkey is added, signs in, and opens nothing once its counter went back or it was removed", async () => {
  const { page } = team;
  const { cdp, authenticatorId } = await deviceOf(page);
  const other = await signInElsewhere(team);
  await isIn(other);
  const settings = await settingsOf(page);
  await settings.getByRole("button", { name: "Add a passkey" }).click();
  await settings.getByLabel(/^Name of the passkey/).fill("Laptop");
  await settings.getByRole("button", { name: "Add the passkey" }).click();
  await settings.getByRole("list", { name: "Passkeys" }).getByText("Laptop").waitFor();
  expect(await violations(page)).toEqual([]);
  await isOut(other);
  await other.context().close();

  const enter = async (): Promise<void> => {
    await page.getByRole("button", { name: "Sign in with a passkey" }).click();
  };
  const leave = async (): Promise<void> => {
    const open = await settingsOf(page);
    await open.getByRole("button", { name: "Sign out" }).click();
    await page.getByRole("heading", { name: "Sign in to Heddle" }).waitFor();
  };
  await settings.getByRole("button", { name: "Sign out" }).click();
  await page.getByRole("heading", { name: "Sign in to Heddle" }).waitFor();
  expect(await violations(page)).toEqual([]);
  await enter();
  await isIn(page);

  // A copy of the key on another device is behind in its counter.
  await leave();
  const { credentials } = await cdp.send("WebAuthn.getCredentials", { authenticatorId });
  const [kept] = credentials;
  if (kept === undefined) throw new Error("the device keeps a passkey");
  expect([credentials.length, kept.isResidentCredential]).toEqual([1, true]);
  await cdp.send("WebAuthn.removeCredential", { authenticatorId, credentialId: kept.credentialId });
  await cdp.send("WebAuthn.addCredential", { authenticatorId, credential: { ...kept, signCount: 0 } });
  await enter();
  await expect.poll(() => page.getByRole("alert").textContent()).toContain("not accepted");
  await cdp.send("WebAuthn.removeCredential", { authenticatorId, credentialId: kept.credentialId });
  await cdp.send("WebAuthn.addCredential", { authenticatorId, credential: { ...kept, signCount: 90 } });
  await enter();
  await isIn(page);

  // A key without a lock proves that somebody has it, not who.
  await leave();
  await cdp.send("WebAuthn.removeVirtualAuthenticator", { authenticatorId });
  const bare = await addDevice(cdp, false);
  await cdp.send("WebAuthn.addCredential", { authenticatorId: bare, credential: { ...kept, signCount: 200 } });
  expect(await statusOf(page, await signedBy(page, await optionsFor(page), kept.credentialId))).toBeGreaterThanOrEqual(
    400,
  );
  await cdp.send("WebAuthn.removeVirtualAuthenticator", { authenticatorId: bare });
  const own = await addDevice(cdp);
  await cdp.send("WebAuthn.addCredential", { authenticatorId: own, credential: { ...kept, signCount: 300 } });
  await enter();
  await isIn(page);

  const open = await settingsOf(page);
  await open.getByRole("button", { name: "Remove the passkey Laptop" }).click();
  await open.getByRole("button", { name: "Remove the passkey Laptop now" }).click();
  await expect.poll(() => open.getByRole("list", { name: "Passkeys" }).count()).toBe(0);
  await open.getByRole("button", { name: "Sign out" }).click();
  await page.getByRole("heading", { name: "Sign in to Heddle" }).waitFor();
  await enter();
  await expect.poll(() => page.getByRole("alert").textContent()).toContain("does not belong to an account");
});

test("A-34 what a passkey signed for a page of another origin opens nothing", async () => {
  const ada = await signInElsewhere(team);
  await isIn(ada);
  const { cdp, authenticatorId } = await deviceOf(ada);
  const settings = await settingsOf(ada);
  await settings.getByRole("button", { name: "Add a passkey" }).click();
  await settings.getByLabel(/^Name of the passkey/).fill("Key");
  await settings.getByRole("button", { name: "Add the passkey" }).click();
  await settings.getByRole("list", { name: "Passkeys" }).getByText("Key").waitFor();
  await settings.getByRole("button", { name: "Sign out" }).click();
  await ada.getByRole("heading", { name: "Sign in to Heddle" }).waitFor();
  const { credentials } = await cdp.send("WebAuthn.getCredentials", { authenticatorId });

  // The same host name on another port: browsers let its page use the key.
  const foreign = await ada.context().newPage();
  await foreign.route("http://localhost:9/**", (route) =>
    route.fulfill({ contentType: "text/html", body: "<!doctype html><title>Trap</title>" }),
  );
  await foreign.goto("http://localhost:9/");
  const trap = await deviceOf(foreign);
  for (const credential of credentials) {
    await trap.cdp.send("WebAuthn.addCredential", { authenticatorId: trap.authenticatorId, credential });
  }
  const [kept] = credentials;
  const status = await statusOf(ada, await signedBy(foreign, await optionsFor(ada), kept?.credentialId ?? ""));
  expect(status).toBeGreaterThanOrEqual(400);
  const state = await ada.evaluate(async () => (await fetch("/auth/state")).json());
  expect(state).toEqual({ person: null, singleSignOn: null });
  await ada.context().close();
});
