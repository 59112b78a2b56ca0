import { setTimeout as delay } from "node:timers/promises";
import type { Browser, BrowserContext, Locator, Page } from "playwright-core";

/** How the browser says by itself that it has no connection. */
const itsOwnReport = /WebSocket|Failed to load resource: net::|unknown error occurred when fetching the script/;

/** The actions and views that a person has in the app, named as on the screen. */
export class AppPage {
  readonly page: Page;
  readonly composer: Locator;
  readonly editor: Locator;
  /** Errors in the browser's console. */
  readonly complaints: string[] = [];

  constructor(page: Page) {
    this.page = page;
    this.composer = page.getByRole("textbox", { name: "Message", exact: true });
    this.editor = page.locator(".cm-content");
    page.on("pageerror", (error) => this.complaints.push(`${error.name}: ${error.message} ${error.stack ?? ""}`));
    page.on("console", (message) => {
      // Several tests cut the connection; the browser reports that by itself.
      if (message.type() === "error" && !itsOwnReport.test(message.text()))
        this.complaints.push(`${message.text()} (${message.location().url})`);
    });
  }

  async send(text: string): Promise<void> {
    await this.composer.fill(text);
    await this.page.getByRole("button", { name: "Send", exact: true }).click();
  }

  /** The state that the state line shows, such as `idle` or `error`. */
  async state(): Promise<string | null> {
    return this.page.getByTestId("state-line").getAttribute("data-state");
  }

  async waitForState(...states: readonly string[]): Promise<void> {
    const selector = states.map((state) => `[data-testid="state-line"][data-state="${state}"]`).join(",");
    await this.page.locator(selector).first().waitFor({ timeout: 60_000 });
  }

  async waitForConnection(state: string, timeout = 30_000): Promise<void> {
    await this.page.locator(`[data-testid="connection"][data-state="${state}"]`).waitFor({ timeout });
  }

  /** The canvas as this page shows it. Complete only for documents that fit the window. */
  async canvasText(): Promise<string> {
    return this.editor.evaluate((content) =>
      [...content.querySelectorAll(".cm-line")]
        .map((line) => {
          const text = line.cloneNode(true) as Element;
          for (const caret of text.querySelectorAll(".remote-caret")) caret.remove();
          return text.textContent ?? "";
        })
        .join("\n"),
    );
  }

  /** Sets the caret at the end of the first line that contains `text`, as a click and End would. */
  async placeCaretAfter(text: string): Promise<void> {
    // The names at other people's carets are not part of the text.
    const lines = this.editor.locator(".cm-line");
    const place = (): Promise<number> =>
      lines.evaluateAll(
        (elements, wanted) =>
          elements.findIndex((element) => {
            const line = element.cloneNode(true) as Element;
            for (const caret of line.querySelectorAll(".remote-caret")) caret.remove();
            return (line.textContent ?? "").includes(wanted);
          }),
        text,
      );
    const until = Date.now() + 30_000;
    let index = await place();
    for (; index === -1 && Date.now() < until; index = await place()) await delay(100);
    if (index === -1) throw new Error(`no line of the text says "${text}"`);
    await lines.nth(index).click();
    await this.page.keyboard.press("End");
  }

  async type(text: string, delayMs = 0): Promise<void> {
    await this.page.keyboard.type(text, { delay: delayMs });
  }

  /** Messages of the shown path, by role, with their text. */
  async messages(): Promise<readonly { readonly role: string; readonly text: string }[]> {
    return this.page
      .locator("article[data-node-id]")
      .evaluateAll((articles) =>
        articles.map((article) => ({ role: article.getAttribute("data-role") ?? "", text: article.textContent ?? "" })),
      );
  }

  /** Opens the lines that steps of finished turns are folded into. */
  async openSteps(): Promise<void> {
    const closed = this.page.locator(".folded-rows > button[aria-expanded=false]");
    while ((await closed.count()) > 0) await closed.first().click();
  }

  /** The model's last reply on the shown path. A line about a changed canvas may follow it. */
  async answer(): Promise<string> {
    return (await this.messages()).findLast(({ role }) => role === "assistant")?.text ?? "";
  }
}

/** Returns where something is drawn, once it is: a page may draw it anew at any time. */
export async function boxOf(locator: Locator): Promise<{ x: number; y: number; width: number; height: number }> {
  const until = Date.now() + 30_000;
  for (; Date.now() < until; await delay(20)) {
    const box = await locator.boundingBox();
    if (box !== null) return box;
  }
  throw new Error(`${locator.toString()} is not drawn`);
}

/** Lets pages of a context begin with the source of Markdown: tests read the text from its lines. */
export async function showSource(context: BrowserContext): Promise<void> {
  await context.addInitScript(() => {
    // The frame that draws diagrams has no storage.
    if (window.top === window && localStorage.getItem("heddle.view") === null)
      localStorage.setItem("heddle.view", "source");
  });
}

/** Tall enough that the editor renders every line of a test's document. */
const tall = { width: 1400, height: 4000 } as const;

export async function openApp(
  browser: Browser,
  url: string,
  options: Parameters<Browser["newContext"]>[0] = {},
): Promise<{ app: AppPage; context: BrowserContext }> {
  const context = await browser.newContext({
    viewport: tall,
    reducedMotion: "reduce",
    ...options,
  });
  await showSource(context);
  const app = new AppPage(await context.newPage());
  await app.page.goto(url);
  await app.waitForConnection("live");
  await app.editor.waitFor();
  return { app, context };
}
