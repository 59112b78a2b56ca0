import type { Locator, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { welcomeTitle } from "../../src/host/workspace/welcome.ts";
import { boxOf } from "./app-page.ts";
import { violations } from "./axe.ts";
import { isIn, settingsOf, startTeamPage, type TeamPage } from "./team-page.ts";

let team: TeamPage;
beforeAll(async () => {
  team = await startTeamPage({ env: { ANTHROPIC_API_KEY: "sk-of-the-workspace-0123" } });
});
afterAll(() => team?.close());

test("21.4 A-23 an owner sees who can read a conversation and from where, is told which document in it somebody may not read, and shares it", async () => {
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
  await dialog.getByLabel("Person or group", { exact: true }).selectOption({ label: "Bo" });
  await dialog.getByLabel("Role of the person or group").selectOption({ label: "Commenter" });
  const unseen = dialog.getByRole("note", { name: "Documents that Bo may not read" });
  await unseen.getByText(welcomeTitle, { exact: true }).waitFor();
  await dialog.getByRole("note", { name: "Documents that Everyone in the workspace may not read" }).waitFor();
  await shoot(page, "share-unseen");
  expect(await violations(page)).toEqual([]);
  await dialog.getByRole("button", { name: "Share", exact: true }).click();
  await expect.poll(() => readers.allTextContents()).toContainEqual(expect.stringMatching(/Bo.*Commenter, given here/));
  await expect.poll(() => unseen.count()).toBe(0);
  const quoting = dialog.getByLabel("Agents read here only what everyone may read who can see this");
  expect(await quoting.isChecked()).toBe(true);
  await quoting.click();
  await expect.poll(() => quoting.isChecked()).toBe(false);
  await dialog.getByLabel("Role of everyone in the workspace here").selectOption({ label: "Viewer" });
  await expect.poll(() => dialog.getByLabel("Role of everyone in the workspace here").inputValue()).toBe("viewer");
  await dialog.getByLabel("Role of Bo here").selectOption({ label: "No extra role" });
  await expect.poll(() => readers.allTextContents()).toContainEqual(expect.stringMatching(/Bo.*Viewer, given here/));
  await page.keyboard.press("Escape");

  await bo.reload();
  await bo.getByRole("button", { name: "Settings" }).waitFor();
  await expect.poll(async () => (await bo.getByText("What can you do?").count()) > 0).toBe(true);
  await bo.context().close();
  await isIn(page);
});

test("21.4 an owner makes a group in the settings and shares a document and a folder with it", async () => {
  const { page } = team;
  const settings = await settingsOf(page);
  await settings.getByLabel("Name of a new group").fill("Weavers");
  await settings.getByRole("button", { name: "Make a group" }).click();
  await settings.getByLabel("Add somebody to Weavers").selectOption({ label: "Bo" });
  const members = settings.getByRole("list", { name: "Members of Weavers" });
  await members.getByText("Bo").waitFor();
  await settings.getByLabel("Name of a new group").fill("weavers");
  await settings.getByRole("button", { name: "Make a group" }).click();
  await settings.getByText("Another group has this name already.").waitFor();
  await shoot(page, "groups");
  expect(await violations(page)).toEqual([]);
  await page.keyboard.press("Escape");

  await page.getByRole("button", { name: "This document: find, insert, copy, export" }).click();
  await page.getByRole("menuitem", { name: "Share…" }).click();
  const dialog = page.getByRole("dialog", { name: /^Share / });
  await dialog.getByLabel("Person or group", { exact: true }).selectOption({ label: "Weavers" });
  await dialog.getByLabel("Role of the person or group").selectOption({ label: "Commenter" });
  await dialog.getByRole("button", { name: "Share", exact: true }).click();
  const readers = dialog.getByRole("list", { name: "Who can see this" }).getByRole("listitem");
  await expect
    .poll(() => readers.allTextContents())
    .toContainEqual(expect.stringMatching(/Bo.*Commenter, given here, through Weavers/u));
  expect(await readers.allTextContents()).toContainEqual(expect.stringMatching(/Weavers.*Group of 1, commenter/u));
  await shoot(page, "share-document");
  expect(await violations(page)).toEqual([]);
  await page.keyboard.press("Escape");

  await page.getByRole("tree", { name: "Documents" }).getByRole("treeitem").first().click({ button: "right" });
  await page.getByRole("menuitem", { name: "Share…" }).click();
  await page
    .getByRole("dialog", { name: /^Share / })
    .getByRole("heading", { name: "Who can see this" })
    .waitFor();
  await page.keyboard.press("Escape");

  await settingsOf(page);
  await settings.getByRole("button", { name: "Take out Bo of Weavers" }).click();
  await settings.getByText("Nobody is in it yet.").waitFor();
  await settings.getByRole("button", { name: "Remove the group Weavers" }).click();
  await settings.getByRole("button", { name: "Remove Weavers now" }).click();
  await expect.poll(() => settings.getByText("Nobody is in it yet.").count()).toBe(0);
  await page.keyboard.press("Escape");
});

/** Pictures of what is shown, light, dark and on a phone, where HEDDLE_PICTURES names a folder. */
async function shoot(page: Page, name: string): Promise<void> {
  const folder = process.env["HEDDLE_PICTURES"];
  if (folder === undefined) return;
  const size = page.viewportSize();
  for (const scheme of ["light", "dark"] as const) {
    await page.emulateMedia({ colorScheme: scheme });
    await page.screenshot({ path: `${folder}/${name}-${scheme}.png` });
  }
  await page.emulateMedia({ colorScheme: "light" });
  await page.setViewportSize({ width: 390, height: 780 });
  await page.screenshot({ path: `${folder}/${name}-phone.png` });
  if (size !== null) await page.setViewportSize(size);
}

test("21.6 an owner gives a person a budget in the settings, and a turn over it is refused with words", async () => {
  const { page } = team;
  const settings = await settingsOf(page);
  await settings.getByLabel("Who has the budget").selectOption({ label: "Ada" });
  await settings.getByLabel("Tokens of the budget").fill("none");
  await settings.getByRole("button", { name: "Set the budget" }).click();
  await settings.getByText("Total tokens: enter a whole number").waitFor();
  await settings.getByLabel("Tokens of the budget").fill("1");
  await settings.getByRole("button", { name: "Set the budget" }).click();
  const budgets = settings.getByRole("list", { name: "Budgets" });
  await budgets.getByText("of 1 tokens a month").waitFor();
  await shoot(page, "budgets");
  expect(await violations(page)).toEqual([]);
  await page.keyboard.press("Escape");
  const ask = async (words: string): Promise<void> => {
    await page.getByRole("textbox", { name: "Message" }).fill(words);
    await page.keyboard.press("Enter");
  };
  await ask("What can you do once more?");
  await expect
    .poll(
      async () => {
        if ((await page.getByText("The budget of Ada is used up: 1 token a month").count()) > 0) return true;
        await ask("And now?");
        return false;
      },
      { interval: 1_500, timeout: 15_000 },
    )
    .toBe(true);
  await page.getByRole("textbox", { name: "Message" }).fill("");
  await settingsOf(page);
  await budgets.getByText("used up until").waitFor();
  await settings.getByRole("button", { name: "End the budget of Ada a month" }).click();
  await expect.poll(() => budgets.count()).toBe(0);
  await page.keyboard.press("Escape");
});

test("21.7 a person sets a key of their own in the settings, sees its end alone, and removes it", async () => {
  const { page } = team;
  const settings = await settingsOf(page);
  const keys = settings.getByRole("list", { name: "Your own keys" });
  await keys.getByText("the workspace's").first().waitFor();
  await settings.getByLabel("Provider of your key").selectOption({ label: "Anthropic" });
  await settings.getByLabel("Your key", { exact: true }).fill("short");
  await settings.getByRole("button", { name: "Set your key" }).click();
  await settings.getByRole("group", { name: "Your own keys" }).getByRole("alert").waitFor();
  await settings.getByLabel("Your key", { exact: true }).fill("sk-of-ada-alone-0123-wxyz");
  await settings.getByRole("button", { name: "Set your key" }).click();
  await keys.getByText("your own, ending in wxyz").waitFor();
  await shoot(page, "own-keys");
  expect(await violations(page)).toEqual([]);
  await settings.getByRole("button", { name: "Remove your key of Anthropic" }).click();
  await expect.poll(() => keys.getByText("your own").count()).toBe(0);
  await page.keyboard.press("Escape");
});

test("21.8 an owner locks a setting, and everybody else sees it locked and by whom", async () => {
  const { page, browser } = team;
  const settings = await settingsOf(page);
  await settings.getByRole("button", { name: "Lock: Which tool calls ask a person" }).click();
  await settings.getByRole("list", { name: "Locked settings" }).getByText("locked by Ada").waitFor();
  for (const setting of ["How people and agents share a canvas", "How models are asked", "Presets"]) {
    await settings.getByRole("button", { name: `Lock: ${setting}` }).click();
  }
  await shoot(page, "locks");
  expect(await violations(page)).toEqual([]);
  await settings.getByLabel("Role of who is invited").selectOption({ label: "Editor" });
  await settings.getByRole("button", { name: "Make an invitation" }).click();
  const invitation = (await settings.locator("[data-link]").textContent()) ?? "";
  await page.keyboard.press("Escape");
  const cy = await (await browser.newContext({ viewport: { width: 1280, height: 800 } })).newPage();
  await cy.goto(invitation);
  await cy.getByLabel("Your name").fill("Cy");
  await cy.getByLabel("Email address").fill("cy@example.org");
  await cy.getByLabel(/^Password/).fill("another horse battery");
  await cy.keyboard.press("Enter");
  await cy.getByRole("textbox", { name: "Message" }).fill("What can Cy do?");
  await cy.keyboard.press("Enter");
  await cy.getByText("I understand orders like these").first().waitFor();
  await cy.getByRole("button", { name: "Permissions and usage of this conversation" }).click();
  const dialog = cy.getByRole("dialog", { name: /^Permissions and usage/ });
  const asked = dialog.getByRole("group", { name: "Ask me before tool calls" });
  await asked.getByText("Locked by Ada.").waitFor();
  expect(await asked.getByRole("radio").first().isDisabled()).toBe(true);
  expect(await dialog.getByRole("button", { name: "Set the budget" }).isDisabled()).toBe(false);
  const models = dialog.getByRole("group", { name: "How models are asked" });
  await models.getByText("Locked by Ada.").waitFor();
  expect(await models.getByRole("combobox", { name: "Thinking" }).isDisabled()).toBe(true);
  await shoot(cy, "locked");
  expect(await violations(cy)).toEqual([]);
  await cy.keyboard.press("Escape");
  const policy = cy.getByRole("radiogroup", { name: "Who may type while an agent works" });
  await expect.poll(() => policy.getByRole("radio").first().getAttribute("title")).toContain("Locked by Ada.");
  expect(await policy.getByRole("radio").first().isDisabled()).toBe(true);
  const cys = await settingsOf(cy);
  await cys.getByRole("region", { name: "Presets" }).getByText("Locked by Ada.").waitFor();
  expect(await cys.getByRole("button", { name: "New preset" }).isDisabled()).toBe(true);
  expect(await violations(cy)).toEqual([]);
  await cy.context().close();
  await settingsOf(page);
  for (const setting of ["Which tool calls ask a person", "How people", "How models", "Presets"]) {
    await settings.getByRole("button", { name: `Unlock: ${setting}` }).click();
    await settings
      .getByRole("button", { name: `Lock: ${setting}` })
      .first()
      .waitFor();
  }
  await page.keyboard.press("Escape");
});

test("A-40 an owner sees the activity, newest first, filters it, opens what it is about, and downloads it", async () => {
  const { page, browser } = team;
  const settings = await settingsOf(page);
  await settings.getByLabel("Role of who is invited").selectOption({ label: "Editor" });
  await settings.getByRole("button", { name: "Make an invitation" }).click();
  const invitation = (await settings.locator("[data-link]").textContent()) ?? "";
  await settings.getByRole("button", { name: "Show the activity…" }).click();
  const activity = page.getByRole("dialog", { name: "Activity" });
  const entries = activity.getByRole("list", { name: "Activity, newest first" }).getByRole("listitem");
  await expect.poll(() => entries.first().textContent()).toMatch(/^Ada made an invitation.*, from 127\./u);
  expect(await violations(page)).toEqual([]);
  await shoot(page, "activity");
  await activity.getByLabel("About").selectOption({ label: "Sharing" });
  await expect.poll(() => entries.first().textContent()).toMatch(/^Ada /u);
  const said = (await entries.allTextContents()).join("\n");
  expect(said).toContain("made Bo commenter");
  expect(said).not.toContain("signed in");
  const about = page.waitForEvent("download");
  await activity.getByRole("button", { name: "Download as CSV" }).click();
  expect((await about).suggestedFilename()).toBe("heddle-audit.csv");
  await activity.getByLabel("Person").selectOption({ label: "Bo" });
  await activity.getByText("Nothing here.").waitFor();
  expect(await violations(page)).toEqual([]);
  await activity.getByLabel("Person").selectOption({ label: "Ada" });
  await entries.getByRole("button").last().click();
  await activity.waitFor({ state: "detached" });

  // Who is no owner is not offered it.
  const dee = await (await browser.newContext({ viewport: { width: 1280, height: 800 } })).newPage();
  await dee.goto(invitation);
  await dee.getByLabel("Your name").fill("Dee");
  await dee.getByLabel("Email address").fill("dee@example.org");
  await dee.getByLabel(/^Password/).fill("another horse battery");
  await dee.keyboard.press("Enter");
  await dee.getByRole("button", { name: "Settings" }).click();
  await dee.getByRole("list", { name: "People" }).waitFor();
  expect(await dee.getByRole("button", { name: "Show the activity…" }).count()).toBe(0);
  await dee.context().close();
});

test("A-40 an owner of a document sees from its share dialog what was done to it, and nothing of anything else", async () => {
  const { page } = team;
  await page.getByRole("button", { name: "This document: find, insert, copy, export" }).click();
  await page.getByRole("menuitem", { name: "Share…" }).click();
  const dialog = page.getByRole("dialog", { name: /^Share / });
  await dialog.getByRole("button", { name: "Show what was done to it…" }).click();
  const activity = page.getByRole("dialog", { name: "Activity of this document" });
  const entries = activity.getByRole("list", { name: "Activity, newest first" }).getByRole("listitem");
  await expect.poll(() => entries.first().textContent()).toMatch(/^Ada made .*, from 127\./u);
  const said = (await entries.allTextContents()).join("\n");
  expect(said).not.toMatch(/signed in|invitation/u);
  expect(await activity.getByRole("button", { name: "Download as CSV" }).count()).toBe(0);
  expect(await violations(page)).toEqual([]);
  await shoot(page, "activity-of-document");
  await page.keyboard.press("Escape");
  await activity.waitFor({ state: "detached" });
  await dialog.waitFor();
  await page.keyboard.press("Escape");
});

test("A-19 a visitor opens a link without an account, sees edits, comments, and nothing any more once it ends", async () => {
  const { page, browser, server } = team;
  await page.getByRole("button", { name: "This document: find, insert, copy, export" }).click();
  await page.getByRole("menuitem", { name: "Share…" }).click();
  const dialog = page.getByRole("dialog", { name: /^Share / });
  await dialog.getByLabel("What the link allows").selectOption({ label: "Read and comment" });
  await dialog.getByLabel("When the link ends").selectOption({ label: "1 day" });
  await dialog.getByRole("button", { name: "Make a link" }).click();
  const address = (await dialog.locator("[data-link]").textContent()) ?? "";
  expect(address).toMatch(
    new RegExp(`^${server.origin.replace("127.0.0.1", "(localhost|127.0.0.1)")}/#visit=[\\w-]{43}$`, "u"),
  );
  await shoot(page, "links");
  expect(await violations(page)).toEqual([]);

  const visitor = await (await browser.newContext({ viewport: { width: 1280, height: 800 } })).newPage();
  const asked: string[] = [];
  visitor.on("request", (request) => asked.push(new URL(request.url()).pathname));
  await visitor.goto(address);
  await visitor.getByRole("heading", { name: "Welcome", exact: true, level: 1 }).waitFor();
  await visitor.getByText("Shared with you by a link, to read and comment").waitFor();
  await shoot(visitor, "visit");
  expect(await violations(visitor)).toEqual([]);
  await visitor.getByLabel("Your name").fill("Eve");
  await visitor.getByLabel("Comment", { exact: true }).fill("I like **this**.");
  await visitor.getByRole("button", { name: "Send the comment" }).click();
  await visitor.getByText("Your comment is sent.").waitFor();
  await visitor.getByText("Eve (guest)").waitFor();
  // What is typed shows without a reload; the page asks nothing but its two addresses.
  await page.keyboard.press("Escape");
  await page.locator(".cm-content").first().click();
  await page.keyboard.press("Control+End");
  await page.keyboard.type("Typed for the visitor.");
  await visitor.getByText("Typed for the visitor.").waitFor();
  expect(
    asked
      .filter((path) => /^\/(?:api|auth|live)/u.test(path))
      .every((path) => /^\/auth\/visit(\/comment)?$/u.test(path)),
  ).toBe(true);

  await page.getByRole("button", { name: "This document: find, insert, copy, export" }).click();
  await page.getByRole("menuitem", { name: "Share…" }).click();
  await dialog.getByRole("list", { name: "Links" }).getByRole("button", { name: "End" }).click();
  await visitor.getByText("This link has ended").waitFor();
  expect(await visitor.getByText("Typed for the visitor.").count()).toBe(0);
  await shoot(visitor, "visit-ended");
  await visitor.reload();
  await visitor.getByText("This link has ended").waitFor();
  await visitor.context().close();
});

test("A-19 a visitor of a link with a password is asked for it, also after a wrong one, and then sees the document", async () => {
  const { page, browser } = team;
  const dialog = page.getByRole("dialog", { name: /^Share / });
  await dialog.getByLabel("Password of the link, if it has one").fill("warp and weft");
  await dialog.getByRole("button", { name: "Make a link" }).click();
  await dialog.getByText("Send the password another way.").waitFor();
  await dialog.getByText("Who has it may read, with a password").waitFor();
  expect(await violations(page)).toEqual([]);
  const address = (await dialog.locator("[data-link]").textContent()) ?? "";
  const visitor = await (await browser.newContext({ viewport: { width: 390, height: 780 } })).newPage();
  await visitor.goto(address);
  await visitor.getByText("This link asks for a password.").waitFor();
  expect(await violations(visitor)).toEqual([]);
  await visitor.getByLabel("Password").fill("warp and wefts");
  await visitor.keyboard.press("Enter");
  await visitor.getByText("The password is wrong.").waitFor();
  await shoot(visitor, "visit-password");
  await visitor.getByLabel("Password").fill("warp and weft");
  await visitor.keyboard.press("Enter");
  await visitor.getByText("Typed for the visitor.").waitFor();
  await visitor.context().close();
  await dialog.getByRole("list", { name: "Links" }).getByRole("button", { name: "End" }).click();
  await page.keyboard.press("Escape");
});

test("A-01 who may only read or comment has a text to read from the start, and what would be refused is off and says why", async () => {
  const { page, browser } = team;
  const guest = async (name: string, role: string): Promise<Page> => {
    const settings = await settingsOf(page);
    await settings.getByLabel("Role of who is invited").selectOption({ label: role });
    await settings.getByRole("button", { name: "Make an invitation" }).click();
    const invitation = (await settings.locator("[data-link]").textContent()) ?? "";
    await page.keyboard.press("Escape");
    const context = await browser.newContext({ viewport: { width: 1280, height: 800 }, reducedMotion: "reduce" });
    const theirs = await context.newPage();
    await theirs.goto(invitation);
    await theirs.getByLabel("Your name").fill(name);
    await theirs.getByLabel("Email address").fill(`${name.toLowerCase()}@example.org`);
    await theirs.getByLabel(/^Password/).fill("another horse battery");
    await theirs.keyboard.press("Enter");
    await isIn(theirs);
    const tree = theirs.getByRole("tree", { name: "Documents" });
    await tree.getByRole("treeitem", { name: welcomeTitle }).click();
    return theirs;
  };
  const textOf = (theirs: Page): Locator => theirs.getByRole("textbox", { name: `Text of ${welcomeTitle}` });
  const fay = await guest("Fay", "Viewer");
  const gil = await guest("Gil", "Commenter");
  for (const [theirs, words] of [
    [fay, "You can read."],
    [gil, "You can read and comment."],
  ] as const) {
    await theirs.locator(".canvas-notes").getByText(words, { exact: true }).waitFor();
    const text = textOf(theirs);
    expect(await text.getAttribute("aria-readonly")).toBe("true");
    await text.locator(".cm-line").first().click();
    await theirs.keyboard.type("Not mine to write.");
    expect(await text.textContent()).not.toContain("Not mine");
    const policy = theirs.getByRole("radiogroup", { name: "Who may type while an agent works" }).getByRole("radio");
    expect(await policy.first().isDisabled()).toBe(true);
    expect(await policy.first().getAttribute("title")).toBe(words);
    const begin = theirs.getByRole("button", { name: "New conversation" }).first();
    await expect.poll(() => begin.isDisabled()).toBe(true);
    expect(await begin.getAttribute("title")).toContain("You cannot begin conversations");
    await theirs.getByRole("textbox", { name: "Message" }).fill("May I?");
    const send = theirs.getByRole("button", { name: "Send", exact: true });
    await expect.poll(() => send.getAttribute("title")).toBe("You can read this conversation, but not write in it.");
    expect(await send.isDisabled()).toBe(true);
    expect(await theirs.locator(".refused-edit").count()).toBe(0);
    await shoot(theirs, "reads-only");
    expect(await violations(theirs)).toEqual([]);
  }

  // A role that is given while the page is open counts when the person is back at it; one that is taken, at the next edit.
  await page
    .getByRole("tree", { name: "Documents" })
    .getByRole("treeitem", { name: welcomeTitle })
    .click({ button: "right" });
  await page.getByRole("menuitem", { name: "Share…" }).click();
  const dialog = page.getByRole("dialog", { name: /^Share / });
  await dialog.getByLabel("Role of Gil here").selectOption({ label: "Editor" });
  const readers = dialog.getByRole("list", { name: "Who can see this" }).getByRole("listitem");
  await expect.poll(() => readers.allTextContents()).toContainEqual(expect.stringMatching(/Gil.*Editor, given here/));
  await gil.evaluate(() => window.dispatchEvent(new Event("focus")));
  const text = textOf(gil);
  await expect.poll(() => text.getAttribute("aria-readonly")).toBe("false");
  expect(await gil.locator(".canvas-notes").textContent()).toBe("");
  await dialog.getByLabel("Role of Gil here").selectOption({ label: "No extra role" });
  await expect.poll(() => readers.allTextContents()).toContainEqual(expect.stringMatching(/Gil.*Commenter/));
  await text.locator(".cm-line").first().click();
  await gil.keyboard.type("Too late. ");
  const refused = gil.locator(".refused-edit");
  await refused.waitFor();
  await expect.poll(() => text.getAttribute("aria-readonly")).toBe("true");
  await shoot(gil, "refused-edit");
  const [note, line] = await Promise.all([boxOf(refused), boxOf(text.locator(".cm-line").first())]);
  expect(line.y).toBeGreaterThanOrEqual(note.y + note.height);
  await page.keyboard.press("Escape");
  for (const theirs of [fay, gil]) await theirs.context().close();
});
