import type { Browser, Page } from "playwright-core";
import { afterAll, afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { startTestServer, type TestServer } from "../../src/testing/test-server.ts";
import { AppPage, showSource } from "./app-page.ts";
import { Api } from "./api.ts";
import { violations } from "./axe.ts";
import { launchBrowser } from "./browser.ts";

// A page that was open while the server was updated to a release with a later version of the protocol.

let browser: Browser;
let server: TestServer;

beforeAll(async () => {
  browser = await launchBrowser();
});
beforeEach(async () => {
  server = await startTestServer({ store: "sqlite" });
});
afterEach(() => server?.close());
afterAll(() => browser?.close());

/** A line to the server that can be cut; once the server is `updated`, the page that is open speaks an earlier version than it. */
async function layLine(page: Page) {
  let isCut = false;
  let isUpdated = false;
  let end = (): void => {};
  await page.routeWebSocket(/\/ws$/, (client) => {
    if (isCut) return void client.close({ code: 4000, reason: "cut" });
    const up = client.connectToServer();
    end = () => {
      void client.close({ code: 4000, reason: "cut" });
      void up.close({ code: 4000, reason: "cut" });
    };
    client.onMessage((frame) => {
      const message = JSON.parse(String(frame)) as { readonly type: string; readonly protocol?: number };
      const isOlder = isUpdated && message.type === "hello";
      up.send(isOlder ? JSON.stringify({ ...message, protocol: (message.protocol ?? 1) - 1 }) : frame);
    });
    up.onMessage((frame) => client.send(frame));
  });
  return {
    cut(): void {
      isCut = true;
      end();
    },
    mend(release: "same" | "later"): void {
      isCut = false;
      isUpdated = release === "later";
    },
  };
}

const draftText = async (): Promise<string> => {
  const { hub } = server.workspace;
  const [canvas] = await server.workspace.canvases();
  const listed = await hub.suggestions.list(canvas?.id as never, false, (found) => found);
  return JSON.stringify(listed);
};

test("N-40 a page that a later release of the server asks to load again loses no word: of a document, a message, a comment, a draft", async () => {
  const context = await browser.newContext({ viewport: { width: 1400, height: 4000 }, reducedMotion: "reduce" });
  await showSource(context);
  const app = new AppPage(await context.newPage());
  const { page } = app;
  const line = await layLine(page);
  const asked: string[] = [];
  page.on("dialog", (dialog) => {
    asked.push(dialog.type());
    void dialog.accept();
  });
  await page.goto(server.address);
  await app.waitForConnection("live");
  await app.editor.waitFor();

  // Two drafts, for the words of one.
  await page.getByRole("combobox", { name: "Replies" }).selectOption("2");
  await app.send("Add a section on bridges");
  const strip = page.getByRole("region", { name: "Drafts" });
  await strip.getByText("2 drafts of this document wait").waitFor();
  await app.waitForState("idle");

  // A comment is begun while all is well.
  await app.placeCaretAfter("This part is yours.");
  await page.keyboard.press("Shift+Home");
  await page.getByRole("toolbar", { name: "Selected words" }).waitFor();
  await page.keyboard.press("Control+Alt+m");
  await page.getByRole("textbox", { name: /^Comment\./ }).waitFor();
  await app.type("Whose part is it?");

  line.cut();
  await page.locator('[data-testid="connection"]:not([data-state="live"])').waitFor();
  await app.placeCaretAfter("This part is yours.");
  await app.type(" Typed on the train.");
  await app.composer.fill("Half a question");
  await strip.getByRole("button", { name: "Compare and take" }).click();
  const dialog = page.getByRole("dialog", { name: /^Drafts of/ });
  await dialog.waitFor();

  line.mend("same");
  await app.waitForConnection("live");
  await dialog.getByRole("radio", { name: /^Draft 1/ }).check();
  await dialog.getByRole("radio", { name: "Write", exact: true }).click();
  await dialog.getByRole("textbox", { name: /^Text of draft 1 of / }).waitFor();
  line.cut();
  await page.locator('[data-testid="connection"]:not([data-state="live"])').waitFor();
  await page.keyboard.press("Control+End");
  await app.type("\nDrafted on the train.");
  await new Promise((resolve) => setTimeout(resolve, 400));
  expect(await draftText()).not.toContain("Drafted on the train.");
  await page.keyboard.press("Escape");
  await dialog.waitFor({ state: "detached" });
  await app.placeCaretAfter("Typed on the train.");
  await app.type(" And in the tunnel.");

  line.mend("later");
  await page.getByRole("heading", { name: "This page is out of date" }).waitFor({ timeout: 30_000 });
  const words = page.getByRole("region", { name: "What you typed" });
  await expect.poll(() => words.textContent()).toContain("This browser keeps it, and sends it");
  await expect.poll(() => words.locator("pre").textContent()).toContain("And in the tunnel.");
  expect(await violations(page)).toEqual([]);
  expect(await new Api({ origin: server.url, token: server.token }).welcomeText()).not.toContain("tunnel");

  // The page that is loaded now is of the server's release.
  line.mend("same");
  await page.getByRole("button", { name: "Reload the page" }).click();
  await app.waitForConnection("live");
  expect(asked).toEqual([]);
  await page.locator(".cm-content").getByText("This part is yours. Typed on the train. And in the tunnel.").waitFor();
  await expect.poll(() => app.composer.inputValue()).toBe("Half a question");
  await expect.poll(() => page.getByRole("textbox", { name: /^Comment\./ }).inputValue()).toBe("Whose part is it?");
  await strip.getByRole("button", { name: "Compare and take" }).click();
  await dialog.getByRole("radio", { name: /^Draft 1/ }).check();
  await dialog.getByRole("radio", { name: "Write", exact: true }).click();
  const field = dialog.getByRole("textbox", { name: /^Text of draft 1 of / });
  await field.waitFor();
  await page.keyboard.press("Control+End");
  await field.getByText("Drafted on the train.").waitFor();
  await expect.poll(draftText).toContain("Drafted on the train.");
  expect((await draftText()).split("Drafted on the train.").length).toBe(2);
  const stored = await new Api({ origin: server.url, token: server.token }).welcomeText();
  expect(stored.split("Typed on the train. And in the tunnel.").length).toBe(2);
  await context.close();
});
