import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestServer, type TestServer } from "../../src/testing/test-server.ts";
import { openApp } from "./app-page.ts";
import { violations } from "./axe.ts";
import { launchBrowser } from "./browser.ts";

let browser: Browser;
let server: TestServer;

beforeAll(async () => {
  [browser, server] = await Promise.all([launchBrowser(), startTestServer({ store: "sqlite" })]);
});

afterAll(async () => {
  await browser?.close();
  await server?.close();
});

/** Takes the place of the system's notifications: records them, and gives the permission that the test says. */
function recordNotifications(): void {
  const shown: { title: string; body: string; click: () => void }[] = [];
  let permission = "default";
  class Recorded extends EventTarget {
    static get permission() {
      return permission;
    }
    static async requestPermission() {
      permission = String(Reflect.get(globalThis, "answer") ?? "denied");
      return permission;
    }
    constructor(title: string, { body = "" }: { readonly body?: string } = {}) {
      super();
      shown.push({ title, body, click: () => this.dispatchEvent(new Event("click")) });
    }
    close() {}
  }
  Object.assign(globalThis, { Notification: Recorded, shown, allow: () => (permission = "granted") });
}

test("17.18 notifications are off until asked for, and tell who looks away that an agent has finished", async () => {
  const { app, context } = await openApp(browser, server.address, { viewport: { width: 1280, height: 900 } });
  const { page } = app;
  await page.addInitScript(recordNotifications);
  await page.reload();
  await app.waitForConnection("live");
  const shown = (): Promise<readonly string[]> =>
    page.evaluate(() =>
      (Reflect.get(globalThis, "shown") as { title: string; body: string }[]).map(
        ({ title, body }) => `${title}: ${body}`,
      ),
    );
  const answers = page.getByText("I understand orders like these");

  // Nobody asked: nothing is shown.
  await page.evaluate(() => (document.hasFocus = () => false));
  await app.send("What can you do?");
  await expect.poll(() => answers.count()).toBeGreaterThan(0);
  expect(await shown()).toEqual([]);

  // Refused by the browser: the setting stays off and says what to do.
  await page.getByRole("button", { name: "Settings" }).click();
  const settings = page.getByRole("dialog", { name: "Settings" });
  const on = settings.getByRole("radio", { name: "When an agent waits for you or has finished" });
  await on.click();
  await expect.poll(() => settings.getByRole("alert").textContent()).toContain("refuses notifications");
  await expect.poll(() => on.isChecked()).toBe(false);

  await page.evaluate(() => (Reflect.get(globalThis, "allow") as () => void)());
  await on.click();
  await expect.poll(() => on.isChecked()).toBe(true);
  await expect.poll(shown).toEqual(["Heddle: Notifications are on."]);
  expect(await violations(page)).toEqual([]);
  await page.keyboard.press("Escape");

  await app.send("Add a section on testing");
  await expect.poll(shown).toEqual(["Heddle: Notifications are on.", "Welcome: The agent has finished."]);
  // A click leads to the conversation, also from another one.
  await page.getByRole("button", { name: "New conversation" }).click();
  await expect.poll(() => page.title()).not.toBe("Welcome · Heddle");
  await page.evaluate(() => (Reflect.get(globalThis, "shown") as { click: () => void }[]).at(-1)?.click());
  await expect.poll(() => page.title()).toBe("Welcome · Heddle");

  // Who looks at the page is told nothing.
  await page.evaluate(() => (document.hasFocus = () => true));
  const before = await answers.count();
  await app.send("What can you do?");
  await expect.poll(() => answers.count()).toBeGreaterThan(before);
  await expect.poll(() => app.state()).toBe("idle");
  expect((await shown()).length).toBe(2);
  expect(app.complaints).toEqual([]);
  await context.close();
});
