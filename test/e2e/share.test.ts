import { afterAll, beforeAll, expect, test } from "vitest";
import { violations } from "./axe.ts";
import { isIn, settingsOf, startTeamPage, type TeamPage } from "./team-page.ts";

let team: TeamPage;
beforeAll(async () => {
  team = await startTeamPage();
});
afterAll(() => team?.close());

test("21.4 an owner sees who can read a conversation and from where, and shares it with a person and with everyone", async () => {
  const { page, browser } = team;
  await page.getByRole("textbox", { name: "Message" }).fill("What can you do?");
  await page.keyboard.press("Enter");
  await page.getByText("I understand orders like these").first().waitFor();
  const settings = await settingsOf(page);
  await settings.getByLabel("Role of who is invited").selectOption({ label: "Only what is shared" });
  await settings.getByRole("button", { name: "Make an invitation" }).click();
  const invitation = (await settings.locator("[data-link]").textContent()) ?? "";
  await page.keyboard.press("Escape");
  const bo = await (await browser.newContext({ viewport: { width: 390, height: 780 } })).newPage();
  await bo.goto(invitation);
  await bo.getByLabel("Your name").fill("Bo");
  await bo.getByLabel("Email address").fill("bo@example.org");
  await bo.getByLabel(/^Password/).fill("another horse battery");
  await bo.keyboard.press("Enter");
  await bo.getByRole("button", { name: "Settings" }).waitFor();
  await expect.poll(() => bo.getByText("What can you do?").count()).toBe(0);

  await page.getByRole("button", { name: "Permissions and usage of this conversation" }).click();
  const dialog = page.getByRole("dialog", { name: /^Permissions and usage/ });
  const readers = dialog.getByRole("list", { name: "Who can see this" }).getByRole("listitem");
  await expect.poll(() => readers.allTextContents()).toEqual([expect.stringContaining("from the workspace")]);
  expect(await violations(page)).toEqual([]);
  await dialog.getByLabel("Person", { exact: true }).selectOption({ label: "Bo" });
  await dialog.getByLabel("Role of the person").selectOption({ label: "Commenter" });
  await dialog.getByRole("button", { name: "Share", exact: true }).click();
  await expect.poll(() => readers.allTextContents()).toContainEqual(expect.stringMatching(/Bo.*Commenter, given here/));
  await dialog.getByLabel("Role of everyone in the workspace here").selectOption({ label: "Viewer" });
  await expect.poll(() => dialog.getByLabel("Role of everyone in the workspace here").inputValue()).toBe("viewer");
  await dialog.getByLabel("Role of Bo here").selectOption({ label: "Nothing of its own" });
  await expect.poll(() => readers.allTextContents()).toContainEqual(expect.stringMatching(/Bo.*Viewer, given here/));
  await page.keyboard.press("Escape");

  await bo.reload();
  await bo.getByRole("button", { name: "Settings" }).waitFor();
  await expect.poll(async () => (await bo.getByText("What can you do?").count()) > 0).toBe(true);
  await bo.context().close();
  await isIn(page);
});
