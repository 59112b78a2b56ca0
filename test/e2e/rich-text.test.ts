import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { startTestServer, type TestServer } from "../../src/testing/test-server.ts";
import { Api } from "./api.ts";
import { type AppPage, openApp } from "./app-page.ts";
import { violations } from "./axe.ts";
import { launchBrowser } from "./browser.ts";

let browser: Browser;
let server: TestServer;
let folder: string;

beforeAll(async () => {
  folder = mkdtempSync(join(tmpdir(), "heddle-e2e-rich-text-"));
  writeFileSync(join(folder, "today.md"), "# Today\n");
  [browser, server] = await Promise.all([launchBrowser(), startTestServer({ filesFolder: folder })]);
});

afterAll(async () => {
  await browser?.close();
  await server?.close();
  rmSync(folder, { recursive: true });
});

const script = "window.ran = true";
const hostile = `<img src=x onerror="${script}"><script>${script}</script>[x](javascript:${script})`;

/** Pastes or drops a file on the text, as a browser reports it. */
async function give(app: AppPage, how: "paste" | "drop", file: { name: string; type: string; body: string | null }) {
  await app.editor.evaluate(
    async (content, { how: kind, file: given }) => {
      const canvas = Object.assign(document.createElement("canvas"), { width: 160, height: 90 });
      const context = canvas.getContext("2d");
      if (context !== null) {
        context.fillStyle = "#3f4aa8";
        context.fillRect(0, 0, 160, 90);
      }
      const picture = await new Promise<Blob | null>((resolve) => {
        canvas.toBlob(resolve);
      });
      const data = new DataTransfer();
      data.items.add(new File([given.body ?? picture ?? ""], given.name, { type: given.type }));
      const { left, top } = content.getBoundingClientRect();
      content.dispatchEvent(
        kind === "paste"
          ? new ClipboardEvent("paste", { clipboardData: data, bubbles: true, cancelable: true, composed: true })
          : new DragEvent("drop", {
              dataTransfer: data,
              bubbles: true,
              cancelable: true,
              composed: true,
              clientX: left + 20,
              clientY: top + 60,
            }),
      );
    },
    { how, file },
  );
}

async function pictured(
  page: Page,
  name: string,
  looks: readonly ("light" | "dark" | "phone")[] = ["light", "dark", "phone"],
): Promise<void> {
  const pictures = process.env["HEDDLE_SCREENSHOTS"];
  if (pictures === undefined) return;
  const before = page.viewportSize();
  for (const look of looks) {
    await page.emulateMedia({ colorScheme: look === "dark" ? "dark" : "light" });
    if (look === "phone") await page.setViewportSize({ width: 390, height: 800 });
    await page.screenshot({ path: join(pictures, `${name}-${look}.png`) });
  }
  if (before !== null) await page.setViewportSize(before);
}

test("17.6 pictures are pasted, dropped, captioned and resized; what is none is refused, and an SVG runs nothing", async () => {
  const { app, context } = await openApp(browser, server.address, { viewport: { width: 1280, height: 900 } });
  const { page, editor } = app;
  const stored = (): Promise<string> => new Api({ origin: server.url, token: server.token }).welcomeText();
  await editor.click();
  await page.keyboard.press("Control+a");
  await page.keyboard.press("Delete");
  await page.keyboard.press("Control+Alt+r");
  await give(app, "paste", { name: "the_house.png", type: "image/png", body: null });
  await expect.poll(stored).toMatch(/^!\[the house\]\(blob:[0-9a-f]{64}\)$/u);
  const picture = editor.locator(".live-picture img");
  await expect.poll(() => picture.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBe(160);
  await editor.locator(".live-picture-caption", { hasText: "the house" }).waitFor();

  const handle = editor.getByRole("slider", { name: "Width of the picture" });
  await handle.focus();
  await handle.press("ArrowRight");
  await expect.poll(stored).toMatch(/^!\[the house\|180\]/u);
  expect(await violations(page)).toEqual([]);
  await pictured(page, "pictures");

  await give(app, "drop", {
    name: "drawing.svg",
    type: "image/svg+xml",
    body: `<svg xmlns="http://www.w3.org/2000/svg" width="90" height="40" onload="${script}"><script>${script}</script><circle cx="20" cy="20" r="18"/></svg>`,
  });
  await expect.poll(() => picture.count()).toBe(2);
  await expect.poll(() => picture.last().evaluate((image: HTMLImageElement) => image.complete)).toBe(true);
  expect(await page.evaluate("window.ran")).toBeUndefined();

  await give(app, "drop", { name: "notes.png", type: "image/png", body: "just words" });
  await page.getByText("notes.png is not a picture that browsers show").waitFor();
  expect((await stored()).match(/blob:/gu)).toHaveLength(2);

  // In a file of a folder they are files beside it.
  await page.getByRole("treeitem", { name: "today.md" }).click();
  await page.getByRole("textbox", { name: "Text of today.md" }).click();
  await page.keyboard.press("Control+End");
  for (const count of [1, 2]) {
    await give(app, "paste", { name: "map.png", type: "image/png", body: null });
    await expect.poll(() => editor.locator(".live-picture img").count()).toBe(count);
  }
  await expect.poll(() => readFileSync(join(folder, "today.md"), "utf8")).toContain("![map](images/map.png)");
  expect(existsSync(join(folder, "images/map.png"))).toBe(true);
  expect(app.complaints).toEqual([]);
  await context.close();
});

const rich = `Code: \`x\`

\`\`\`js
const greeting = "hello"; // a word
\`\`\`

The root $\\sqrt{x^2}$ of

$$
\\int_0^1 x\\,dx = \\frac{1}{2}
$$

\`\`\`mermaid
graph LR
  A[Warp] --> B["<img src=x onerror='${script}'>"]
\`\`\`

${hostile}
`;

test("17.16 code is coloured, formulas and diagrams are drawn, in messages and in the text; hostile input runs nothing", async () => {
  const { app, context } = await openApp(browser, server.address, { viewport: { width: 1400, height: 1000 } });
  const { page, editor, composer } = app;
  await composer.fill(rich);
  await composer.press("Control+Shift+Enter");
  const message = page.locator("article[data-node-id]").last();
  await message.locator("pre .tok-keyword", { hasText: "const" }).waitFor();
  await expect.poll(() => message.getByRole("button", { name: "Copy code" }).count()).toBeGreaterThan(0);
  await message.locator(".formula.display math").waitFor();
  await expect.poll(() => message.locator("math").count()).toBe(2);
  const diagram = message.getByRole("img", { name: /^Diagram/ });
  await diagram.waitFor({ timeout: 20_000 });
  await expect.poll(() => diagram.evaluate((image: HTMLImageElement) => image.naturalWidth)).toBeGreaterThan(20);
  expect(await violations(page)).toEqual([]);

  await page.getByRole("treeitem", { name: "Welcome" }).first().waitFor();
  await page.getByRole("tree", { name: "Documents" }).getByRole("treeitem", { name: "Welcome" }).click();
  await page.getByRole("textbox", { name: "Text of Welcome" }).click();
  await page.keyboard.press("Control+a");
  await page.keyboard.press("Delete");
  await page.keyboard.insertText(`${rich}\nThe end.`);
  await page.keyboard.press("Control+Alt+r");
  await editor.locator(".live-formula math").first().waitFor();
  await editor.locator(".live-diagram img").waitFor();
  await editor.locator(".tok-keyword", { hasText: "const" }).waitFor();
  await expect.poll(() => editor.locator("math").count()).toBe(2);
  expect(await page.evaluate("window.ran")).toBeUndefined();
  expect(await violations(page)).toEqual([]);
  await pictured(page, "answers");
  expect(app.complaints).toEqual([]);
  await context.close();
});

test("a small diagram is drawn as small as it is, and a large one as wide as there is room", async () => {
  const { app, context } = await openApp(browser, server.address, { viewport: { width: 1400, height: 1000 } });
  const { page, composer } = app;
  const chain = Array.from({ length: 40 }, (_, index) => `A${index} --> A${index + 1}`).join("; ");
  const sources = [
    "graph TD; A --> B",
    "sequenceDiagram\n  A->>B: hi",
    "stateDiagram-v2\n  [*] --> S",
    `graph LR; ${chain}`,
  ];
  await composer.fill(sources.map((source) => `\`\`\`mermaid\n${source}\n\`\`\`\n`).join("\n"));
  await composer.press("Control+Shift+Enter");
  const images = page
    .locator("article[data-node-id]")
    .last()
    .getByRole("img", { name: /^Diagram/ });
  await expect.poll(() => images.count(), { timeout: 30_000 }).toBe(sources.length);
  const sizes = () =>
    images.evaluateAll((all) =>
      all.map((image) => ({
        own: (image as HTMLImageElement).naturalWidth,
        drawn: image.clientWidth,
        room: image.parentElement?.clientWidth ?? 0,
      })),
    );
  await expect.poll(async () => (await sizes()).every(({ own }) => own > 20)).toBe(true);
  await pictured(page, "small-diagrams");
  const all = await sizes();
  // A large one has a frame around it.
  for (const { own, drawn, room } of all) expect(Math.abs(drawn - Math.min(own, room))).toBeLessThan(4);
  expect(all.map(({ own }) => own < 250)).toEqual([true, false, true, false]);
  await context.close();
});

test("17.7 a document is read, printed, copied and saved for others, and comes back; rich text is pasted as Markdown", async () => {
  const { app, context } = await openApp(browser, server.address, { viewport: { width: 1400, height: 900 } });
  await context.grantPermissions(["clipboard-read", "clipboard-write"]);
  const { page, editor } = app;
  const canvases = async () => (await server.workspace.canvases()).map(({ title }) => title);
  await page.getByRole("tree", { name: "Documents" }).getByRole("treeitem", { name: "Welcome" }).click();
  await page.getByRole("textbox", { name: "Text of Welcome" }).click();
  await page.keyboard.press("Control+a");
  await page.keyboard.press("Delete");
  await page.keyboard.insertText(`# Plan\n\nSome **bold** words.\n\n| a | b |\n|---|---|\n| 1 | 2 |\n\n${hostile}\n`);
  const choose = async (item: string): Promise<void> => {
    await page.getByRole("button", { name: "This document: find, insert, copy, export" }).click();
    await page.getByRole("menuitem", { name: item }).click();
  };

  await choose("Copy as rich text");
  await page.getByText("The text is copied as rich text.").waitFor();
  // Pasted again, the rich text is the Markdown that it came from.
  await editor.click();
  await page.keyboard.press("Control+a");
  await page.keyboard.press("Control+v");
  await expect
    .poll(() => app.canvasText())
    .toMatch(/^# Plan\n\nSome \*\*bold\*\* words\.\n\n\| a \| b \|\n\| --- \| --- \|/u);

  await choose("Read, print or save as PDF…");
  const reading = page.getByRole("dialog", { name: "Welcome" });
  await reading.getByRole("cell", { name: "2" }).waitFor();
  expect(await violations(page)).toEqual([]);
  await page.emulateMedia({ media: "print" });
  await expect.poll(() => page.locator("#app").isVisible()).toBe(false);
  await expect.poll(() => reading.getByRole("heading", { name: "Plan" }).isVisible()).toBe(true);
  await page.emulateMedia({ media: null });
  await pictured(page, "reading", ["light", "dark"]);
  await page.keyboard.press("Escape");

  // The browser's own print command: the whole document, though the editor draws only the lines on the screen.
  const long = Array.from({ length: 400 }, (_, line) => `Paragraph ${line}.`).join("\n\n");
  const printed = page.locator("main.printed");
  await editor.click();
  const before = await app.canvasText();
  await page.keyboard.press("Control+End");
  await page.keyboard.insertText(`\n\n${long}\n`);
  await page.keyboard.press("Control+Home");
  await page.evaluate(() => {
    addEventListener("beforeprint", () => {
      const shown = document.querySelector("main.printed")?.textContent ?? "";
      Object.assign(globalThis, { printedEnd: shown.trim().slice(-14) });
    });
  });
  expect((await page.pdf()).byteLength).toBeGreaterThan(10_000);
  expect(await page.evaluate(() => (globalThis as unknown as { printedEnd: string }).printedEnd)).toBe(
    "Paragraph 399.",
  );
  await printed.waitFor({ state: "detached" });
  await page.emulateMedia({ media: "print" });
  await page.evaluate(() => dispatchEvent(new Event("beforeprint")));
  expect(await page.locator("#app").isVisible()).toBe(false);
  expect(await printed.getByRole("heading", { name: "Plan" }).isVisible()).toBe(true);
  expect(await page.evaluate(() => document.documentElement.scrollHeight)).toBeGreaterThan(5_000);
  await page.evaluate(() => dispatchEvent(new Event("afterprint")));
  await page.emulateMedia({ media: null });
  await editor.click();
  await page.keyboard.press("Control+z");
  await expect.poll(() => app.canvasText()).toBe(before);

  const download = page.waitForEvent("download");
  await choose("Save for Word (.docx)");
  const saved = await download;
  expect(saved.suggestedFilename()).toBe("Welcome.docx");
  const bytes = readFileSync(await saved.path()).toString("base64");
  await page
    .locator(".file-drop")
    .last()
    .locator("header")
    .first()
    .evaluate((target, body) => {
      const data = new DataTransfer();
      const word = Uint8Array.from(atob(body), (sign) => sign.charCodeAt(0));
      data.items.add(new File([word], "Back again.docx"));
      data.items.add(new File(["film"], "film.mp4"));
      const archive = [
        {
          name: "From Claude",
          chat_messages: [
            { uuid: "1", sender: "human", text: "Which way?" },
            {
              uuid: "2",
              sender: "assistant",
              content: [{ type: "thinking" }, { type: "text", text: "Left." }],
              parent_message_uuid: "1",
            },
            { uuid: "3", sender: "assistant", text: "Right.", parent_message_uuid: "1" },
          ],
        },
      ];
      data.items.add(new File([JSON.stringify(archive)], "conversations.json"));
      target.dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));
    }, bytes);
  await expect.poll(canvases).toContain("Back again");
  const report = page.getByRole("dialog", { name: "What was imported" });
  await report.getByText("1 conversation of Claude with 3 messages was added").waitFor();
  await report.getByText("Left out: 1 × thinking.").waitFor();
  await page.getByRole("treeitem", { name: "From Claude" }).waitFor();
  await report.getByText("film.mp4 is none of the kinds that become documents").waitFor();
  expect(await violations(page)).toEqual([]);
  await page.keyboard.press("Escape");
  await page.getByRole("textbox", { name: "Text of Back again" }).waitFor();
  await expect.poll(() => app.canvasText()).toMatch(/^# Plan\n\nSome \*\*bold\*\* words\.\n\n\| a \| b \|/u);
  expect(await page.evaluate("window.ran")).toBeUndefined();
  expect(app.complaints).toEqual([]);
  await context.close();
});
