import type { Browser, Locator, Page } from "playwright-core";
import { launchBrowser } from "./browser.ts";
import { startServerProcess, temporaryDirectory, type ServerOptions, type ServerProcess } from "./server-process.ts";

/** A server of a team with its first owner, Ada, whose page is open. */
export interface TeamPage {
  readonly browser: Browser;
  readonly server: ServerProcess;
  readonly page: Page;
  close(): Promise<void>;
}

export const password = "correct horse battery";
const email = "ada@example.org";

export async function startTeamPage({ env = {} }: Pick<ServerOptions, "env"> = {}): Promise<TeamPage> {
  const folder = await temporaryDirectory();
  const [browser, server] = await Promise.all([
    launchBrowser(),
    startServerProcess({
      dataDirectory: folder.path,
      args: ["--team"],
      env: { HEDDLE_MODEL: "scripted/scribe", ...env },
    }),
  ]);
  const page = await (await browser.newContext({ viewport: { width: 1280, height: 800 } })).newPage();
  await page.goto(/http:\S+#link=\S+/.exec(server.output())?.[0] ?? "");
  await page.getByLabel("Your name").fill("Ada");
  await page.getByLabel("Email address").fill(email);
  await page.getByLabel(/^Password/).fill(password);
  await page.keyboard.press("Enter");
  await isIn(page);
  return {
    browser,
    server,
    page,
    async close() {
      await browser.close();
      await server.stop();
      await folder.remove();
    },
  };
}

/** Opens the settings, and returns their dialog. */
export async function settingsOf(page: Page): Promise<Locator> {
  await page.getByRole("button", { name: "Settings" }).click();
  const settings = page.getByRole("dialog", { name: "Settings" });
  await settings.getByText("Signed in as").waitFor();
  return settings;
}

/** Opens the sign-in in another browser, and gives Ada's email address and password. */
export async function signInElsewhere({ browser, server }: TeamPage): Promise<Page> {
  const context = await browser.newContext({ viewport: { width: 390, height: 780 } });
  const page = await context.newPage();
  await page.goto(server.origin);
  await page.getByLabel("Email address").fill(email);
  await page.getByLabel("Password").fill(password);
  await page.getByRole("button", { name: "Sign in", exact: true }).click();
  return page;
}

export function isIn(page: Page): Promise<void> {
  return page.getByRole("textbox", { name: "Message" }).waitFor();
}

export function isOut(page: Page): Promise<void> {
  return page.getByRole("heading", { name: "You are signed out" }).waitFor();
}
