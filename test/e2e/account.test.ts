import { afterAll, beforeAll, expect, test } from "vitest";
import { timeCode } from "../../src/testing/time-code.ts";
import { violations } from "./axe.ts";
import { isIn, isOut, password, settingsOf, signInElsewhere, startTeamPage, type TeamPage } from "./team-page.ts";

let team: TeamPage;
beforeAll(async () => {
  team = await startTeamPage();
});
afterAll(() => team?.close());

test("21.2 a person sees where they are signed in, and ends one session or all others, which close at once", async () => {
  const [one, two] = [await signInElsewhere(team), await signInElsewhere(team)];
  await Promise.all([isIn(one), isIn(two)]);
  const settings = await settingsOf(team.page);
  const sessions = settings.getByRole("list", { name: "Sessions" }).getByRole("listitem");
  await expect.poll(() => sessions.count()).toBe(3);
  await expect.poll(() => sessions.getByText(/this browser/).count()).toBe(1);
  expect(await violations(team.page)).toEqual([]);
  await settings
    .getByRole("button", { name: /^End the session of/ })
    .first()
    .click();
  await expect.poll(() => sessions.count()).toBe(2);
  await Promise.race([isOut(one), isOut(two)]);
  await settings.getByRole("button", { name: "End all other sessions" }).click();
  await Promise.all([isOut(one), isOut(two)]);
  await expect.poll(() => sessions.count()).toBe(1);
  await expect.poll(() => settings.getByRole("button", { name: "End all other sessions" }).count()).toBe(0);
  await team.page.keyboard.press("Escape");
  await Promise.all([one.context().close(), two.context().close()]);
});

test("A-30 a second factor is set up by key, signs in by code or recovery code, and is removed", async () => {
  const before = await signInElsewhere(team);
  await isIn(before);
  const settings = await settingsOf(team.page);
  await settings.getByRole("button", { name: "Set up a second factor" }).click();
  await settings.getByLabel("Your password").fill("wrong horse battery");
  await settings.getByRole("button", { name: "Continue" }).click();
  await team.page.getByText("The password is wrong.").first().waitFor();
  await settings.getByLabel("Your password").fill(password);
  await settings.getByRole("button", { name: "Continue" }).click();
  const uri = (await settings.getByRole("link", { name: "open the app on this device" }).getAttribute("href")) ?? "";
  const key = (await settings.locator("[data-key]").textContent()) ?? "";
  expect(uri).toContain(key.replaceAll(" ", ""));
  expect(await violations(team.page)).toEqual([]);
  const used = timeCode(uri, -1);
  await settings.getByLabel("Code that the authenticator shows").fill(used);
  await settings.getByRole("button", { name: "Turn it on" }).click();
  const codes = settings.getByRole("list", { name: "Recovery codes" }).getByRole("listitem");
  await expect.poll(() => codes.count()).toBe(10);
  const [recovery = ""] = await codes.allTextContents();
  expect(await violations(team.page)).toEqual([]);
  await settings.getByRole("button", { name: "I have kept them" }).click();
  await expect.poll(() => settings.getByText(recovery).count()).toBe(0);
  await isOut(before);
  await team.page.keyboard.press("Escape");

  const byCode = await signInElsewhere(team);
  await byCode.getByLabel(/^Code of your authenticator/).fill(used);
  await byCode.getByRole("button", { name: "Sign in", exact: true }).click();
  await expect.poll(() => byCode.getByRole("alert").textContent()).toContain("used before");
  const again = await signInElsewhere(team);
  await again.getByLabel(/^Code of your authenticator/).fill(timeCode(uri));
  await again.getByRole("button", { name: "Sign in", exact: true }).click();
  await isIn(again);
  const byRecovery = await signInElsewhere(team);
  await byRecovery.getByLabel(/^Code of your authenticator/).fill(recovery);
  await byRecovery.getByRole("button", { name: "Sign in", exact: true }).click();
  await isIn(byRecovery);

  const open = await settingsOf(team.page);
  await open.getByRole("button", { name: "Remove the second factor…" }).click();
  await open.getByLabel("Your password").fill(password);
  await open.getByRole("button", { name: "Remove the second factor", exact: true }).click();
  await open.getByRole("button", { name: "Set up a second factor" }).waitFor();
  await Promise.all([isOut(again), isOut(byRecovery)]);
  await team.page.keyboard.press("Escape");
  await Promise.all([before, byCode, again, byRecovery].map((each) => each.context().close()));
});
