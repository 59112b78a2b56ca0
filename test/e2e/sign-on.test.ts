import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestProvider, type TestProvider } from "../../src/testing/test-provider.ts";
import { violations } from "./axe.ts";
import { isIn, settingsOf, startTeamPage, type TeamPage } from "./team-page.ts";

let team: TeamPage;
let provider: TestProvider;
beforeAll(async () => {
  [team, provider] = await Promise.all([startTeamPage(), startTestProvider()]);
});
afterAll(async () => {
  await team?.close();
  await provider?.close();
});

test("A-33 an owner names a provider, and who is invited joins and signs in there, in a browser", async () => {
  const settings = await settingsOf(team.page);
  await settings.getByLabel("Name on the button").fill("Mill");
  await settings.getByLabel("Address of the provider (issuer)").fill(provider.issuer);
  await settings.getByLabel("Client id").fill(provider.clientId);
  await settings.getByLabel("Client secret, if there is one").fill(provider.clientSecret);
  await settings.getByRole("button", { name: "Use this provider" }).click();
  await settings.getByText(`(${provider.issuer})`).waitFor();
  await settings.getByLabel(/^Email address \(blank/).fill("bob@example.org");
  await settings.getByRole("button", { name: "Make an invitation" }).click();
  const link = await settings.locator("[data-link]").first().textContent();
  expect(await violations(team.page)).toEqual([]);
  await team.page.keyboard.press("Escape");

  const context = await team.browser.newContext({ viewport: { width: 1280, height: 800 } });
  const page = await context.newPage();
  await page.goto(link ?? "");
  provider.person = { sub: "7", name: "Bob Reed", email: "bob@example.org", email_verified: false };
  await page.getByRole("button", { name: "Continue with Mill" }).click();
  await page.getByText("does not say that your email address is yours").waitFor();
  await page.goto("about:blank");
  await page.goto(link ?? "");
  expect(await violations(page)).toEqual([]);
  provider.person = { sub: "7", name: "Bob Reed", email: "bob@example.org", email_verified: true };
  await page.getByRole("button", { name: "Continue with Mill" }).click();
  // The page comes back from another site, and goes on with a cookie that no other site sends.
  await isIn(page);
  const own = await settingsOf(page);
  await own.getByText("You sign in with bob@example.org.").waitFor();
  // Who has no password has no second factor beside it.
  expect(await own.getByRole("button", { name: "Set up a second factor" }).count()).toBe(0);
  await own.getByRole("button", { name: "Sign out" }).click();

  await page.getByRole("button", { name: "Continue with Mill" }).waitFor();
  provider.fault = "nonce";
  await page.getByRole("button", { name: "Continue with Mill" }).click();
  await page.getByRole("heading", { name: "Not signed in" }).waitFor();
  provider.fault = null;
  await page.getByRole("link", { name: "Open Heddle" }).click();
  await page.getByRole("button", { name: "Continue with Mill" }).click();
  await isIn(page);
  // What a browser was sent back with opens nothing a second time.
  const other = await (await team.browser.newContext()).newPage();
  await other.goto(provider.sentBack.at(-1) ?? "");
  await other.getByRole("heading", { name: "Not signed in" }).waitFor();

  const people = await settingsOf(team.page);
  await people
    .getByRole("listitem")
    .filter({ hasText: "Bob Reed" })
    .getByRole("button", { name: "Remove Bob Reed" })
    .click();
  await people.getByRole("button", { name: "Remove Bob Reed now" }).click();
  await page.getByRole("heading", { name: "You are signed out" }).waitFor();
  await page.goto(team.server.origin);
  await page.getByRole("button", { name: "Continue with Mill" }).click();
  await page.getByText("Nobody here is connected with this account").waitFor();
  await context.close();
});
