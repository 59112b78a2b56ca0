import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { boxOf } from "./app-page.ts";
import { violations } from "./axe.ts";
import { launchBrowser } from "./browser.ts";
import { startServerProcess, temporaryDirectory, type ServerProcess } from "./server-process.ts";

let browser: Browser;
let server: ServerProcess;
let folder: Awaited<ReturnType<typeof temporaryDirectory>>;

beforeAll(async () => {
  folder = await temporaryDirectory();
  [browser, server] = await Promise.all([
    launchBrowser(),
    startServerProcess({ dataDirectory: folder.path, args: ["--team"], env: { HEDDLE_MODEL: "scripted/scribe" } }),
  ]);
});

afterAll(async () => {
  await browser?.close();
  await server?.stop();
  await folder?.remove();
});

test("21 the first owner comes by the printed link, invites and removes somebody, signs out and in", async () => {
  const context = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  const page = await context.newPage();
  const complaints: string[] = [];
  page.on("pageerror", (problem) => complaints.push(String(problem)));
  const link = /http:\S+#link=\S+/.exec(server.output())?.[0] ?? "";
  // The link also opens over the page that asks to sign in, where a browser loads nothing by itself.
  await page.goto(server.origin);
  await page.getByRole("heading", { name: "Sign in to Heddle" }).waitFor();
  await page.goto(link);
  await page.getByRole("heading", { name: "Become the first owner" }).waitFor();
  expect(await violations(page)).toEqual([]);
  await page.getByLabel("Your name").fill("Ada");
  await page.getByLabel("Email address").fill("ada@example.org");
  await page.getByLabel(/^Password/).fill("short");
  await page.getByRole("button", { name: "Create the account" }).click();
  await expect.poll(() => page.getByRole("alert").textContent()).toContain("10");
  await page.getByLabel(/^Password/).fill("correct horse battery");
  await page.keyboard.press("Enter");

  // The workspace opens under the person's name; the link is gone from the address.
  const composer = page.getByRole("textbox", { name: "Message" });
  await composer.waitFor();
  expect(page.url()).not.toContain("link=");
  await composer.fill("What can you do?");
  await page.keyboard.press("Enter");
  await page.getByText("I understand orders like these").first().waitFor();

  await page.getByText("Ada", { exact: true }).first().waitFor();

  // The owner invites somebody, who comes by the link and sees the same documents under their own name.
  await page.getByRole("button", { name: "Settings" }).click();
  const settings = page.getByRole("dialog", { name: "Settings" });
  await settings.getByLabel(/^Email address/).fill("bo@example.org");
  await settings.getByRole("button", { name: "Make an invitation" }).click();
  const invitation = (await settings.locator("[data-link]").textContent()) ?? "";
  await settings.getByRole("button", { name: "Withdraw the invitation of bo@example.org" }).waitFor();
  // On a phone the whole link is there to be copied by hand.
  await page.setViewportSize({ width: 390, height: 800 });
  const { x, width } = await boxOf(settings.locator("[data-link]"));
  expect(x + width).toBeLessThanOrEqual(390);
  await page.setViewportSize({ width: 1280, height: 800 });
  const guest = await browser.newContext({ viewport: { width: 1280, height: 800 } });
  const bo = await guest.newPage();
  await bo.goto(invitation);
  await bo.getByText("Ada invites you to write here.").waitFor();
  expect(await violations(bo)).toEqual([]);
  await bo.getByLabel("Your name").fill("Bo");
  await bo.getByLabel(/^Password/).fill("another horse battery");
  await bo.keyboard.press("Enter");
  await bo.getByText("What can you do?").first().waitFor();
  await bo.getByRole("button", { name: "Settings" }).click();
  const listed = bo.getByRole("list", { name: "People" });
  await expect.poll(() => listed.textContent()).toContain("Ada");
  await expect.poll(() => bo.getByRole("button", { name: "Make an invitation" }).count()).toBe(0);
  // Who is removed is out at once.
  await page.keyboard.press("Escape");
  await page.getByRole("button", { name: "Settings" }).click();
  await settings.getByRole("button", { name: "Remove Bo" }).click();
  await settings.getByRole("button", { name: "Remove Bo now" }).click();
  await bo.getByRole("heading", { name: "You are signed out" }).waitFor();
  await guest.close();

  // Signed out, nothing opens but the sign-in; a wrong password says so.
  await settings.getByText("Signed in as").waitFor();
  await expect.poll(() => violations(page)).toEqual([]);
  await settings.getByRole("button", { name: "Sign out" }).click();
  await page.getByRole("heading", { name: "Sign in to Heddle" }).waitFor();
  expect(await violations(page)).toEqual([]);
  await page.getByLabel("Email address").fill("ada@example.org");
  await page.getByLabel("Password").fill("wrong horse battery");
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await expect.poll(() => page.getByRole("alert").textContent()).toContain("wrong");
  await page.getByLabel("Password").fill("correct horse battery");
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await composer.waitFor();

  // A session that another browser ends closes the page, which says so.
  const other = await browser.newContext({ viewport: { width: 390, height: 780 } });
  const second = await other.newPage();
  await second.goto(server.origin);
  await second.getByLabel("Email address").fill("ada@example.org");
  await second.getByLabel("Password").fill("correct horse battery");
  await second.getByRole("button", { name: "Sign in", exact: true }).click();
  await second.getByRole("button", { name: "Settings" }).click();
  await second.getByRole("button", { name: "End all other sessions" }).click();
  await page.getByRole("heading", { name: "You are signed out" }).waitFor();
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  await page.getByRole("heading", { name: "Sign in to Heddle" }).waitFor();

  // The link opened once.
  await page.goto(`${server.origin}/?again${link.slice(link.indexOf("#"))}`);
  await page.getByRole("heading", { name: "This link opens nothing" }).waitFor();

  // A token of before, when this address had no team, leads to the sign-in too.
  await page.goto(`${server.origin}/?old#token=of-before`);
  await page.getByRole("heading", { name: "Sign in to Heddle" }).waitFor({ timeout: 20_000 });
  expect(complaints).toEqual([]);
  await Promise.all([context.close(), other.close()]);
});
