import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { mkdir } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Browser } from "playwright-core";
import { afterEach, beforeEach, expect, test } from "vitest";
import { must } from "../../src/core/base/assert.ts";
import type { DraftId } from "../../src/core/base/ids.ts";
import { ok } from "../../src/core/base/result.ts";
import { accept } from "../../src/core/base/result.test-support.ts";
import { agentAuthor } from "../../src/testing/agent-author.ts";
import { startTestServer, type TestServer } from "../../src/testing/test-server.ts";
import { Api } from "./api.ts";
import { openApp } from "./app-page.ts";
import { violations } from "./axe.ts";
import { launchBrowser } from "./browser.ts";

let browser: Browser;
let folder: string;
let server: TestServer;

beforeEach(async () => {
  folder = mkdtempSync(join(tmpdir(), "heddle-e2e-files-"));
  await mkdir(join(folder, "notes"));
  writeFileSync(join(folder, "notes/today.md"), "# Today\n\nWe begin.\n");
  writeFileSync(join(folder, "picture.bin"), new Uint8Array([0, 255, 254, 1]));
  [browser, server] = await Promise.all([launchBrowser(), startTestServer({ filesFolder: folder })]);
});

afterEach(async () => {
  await browser?.close();
  await server?.close();
  rmSync(folder, { recursive: true });
});

const onDisk = (): string => readFileSync(join(folder, "notes/today.md"), "utf8");

test("a file of the folder is opened, edited, written back, and stays open over a reload", async () => {
  const { app, context } = await openApp(browser, server.address, { viewport: { width: 1280, height: 800 } });
  const { page } = app;
  const files = page.getByRole("tree", { name: "Documents" });
  await files.getByRole("treeitem", { name: "today.md" }).click();
  const text = page.getByRole("textbox", { name: "Text of notes/today.md" });
  await text.waitFor();
  await app.placeCaretAfter("We begin.");
  await page.keyboard.type(" And go on.");
  await page.locator('.file-state[data-state="dirty"]').waitFor();
  await page.locator('.file-state[data-state="clean"]').waitFor();
  expect(onDisk()).toBe("# Today\n\nWe begin. And go on.\n");
  expect(await violations(page)).toEqual([]);

  // The agent works on what the person looks at: a file as on a canvas.
  await page.getByTestId("works-on").getByText("today.md").waitFor();
  await app.send("Add a section on testing");
  await app.waitForState("idle");
  await expect.poll(onDisk).toContain("## Testing");
  expect(
    await server.workspace.hub.reader.read((await server.workspace.canvases())[0]?.id ?? ("" as never)),
  ).toMatchObject({ value: { text: expect.not.stringContaining("## Testing") as string } });
  await page.getByRole("button", { name: "Undo agent's turn" }).click();
  await page.getByRole("button", { name: "Undo this turn" }).click();
  await expect.poll(onDisk).not.toContain("## Testing");

  // The app shows what another program writes.
  writeFileSync(join(folder, "notes/today.md"), "# Today\n\nWe begin. And go on.\n\nSomebody else.\n");
  await expect.poll(() => app.canvasText(), { timeout: 20_000 }).toContain("Somebody else.");

  await page.reload();
  await text.waitFor();
  await expect.poll(() => app.canvasText()).toContain("And go on.");

  // A file that is not text reports that, and the shown document stays.
  await files.getByRole("treeitem", { name: "picture.bin" }).click();
  await page.getByText("This isn’t a text file, so it can’t be opened here").waitFor();
  await text.waitFor();

  // The conversation's canvas is one click away.
  await files.getByRole("treeitem", { name: "Welcome" }).click();
  await text.waitFor({ state: "detached" });
  expect(app.complaints).toEqual([]);
  await context.close();
});

test("17.8 K-35 a draft of a file is compared and taken in the app, and the disk has it then", async () => {
  const before = onDisk();
  const { workspace } = server;
  const { files } = accept(await workspace.folders.use(must(workspace.folders.defaultId, "the folder")));
  const canvasId = accept(await files.open("notes/today.md"));
  const author = await agentAuthor(workspace, "Claude");
  const wish = { canvasId, reason: "draft", draftId: "draft_1" as DraftId, guards: [] } as const;
  const plan = ({ text }: { readonly text: string }) => ok(text.replace("We begin.", "It has begun."));
  accept(await workspace.hub.suggestions.suggest(author, { ...wish, plan }));

  const { app, context } = await openApp(browser, server.address, { viewport: { width: 1280, height: 800 } });
  const { page } = app;
  await page.getByRole("tree", { name: "Documents" }).getByRole("treeitem", { name: "today.md" }).click();
  const strip = page.getByRole("region", { name: "Drafts" });
  await strip.getByText("1 draft of this document waits").waitFor();
  expect(onDisk()).toBe(before);
  await strip.getByRole("button", { name: "Compare and take" }).click();
  const dialog = page.getByRole("dialog", { name: /^Drafts of/ });
  await dialog.getByText("+1 −1 lines").waitFor();
  await dialog.getByRole("button", { name: "Take draft 1" }).click();
  await expect.poll(onDisk).toBe(before.replace("We begin.", "It has begun."));
  await strip.waitFor({ state: "detached" });
  await page.getByRole("button", { name: "Undo mine" }).click();
  await expect.poll(onDisk).toBe(before);
  await strip.getByText("1 draft of this document waits").waitFor();
  expect(app.complaints).toEqual([]);
  await context.close();
});

/** A PDF with one page for each text, in a font that every reader has. */
function pdfOf(...texts: readonly string[]): string {
  const pages = texts.map((_, index) => `${4 + 2 * index} 0 R`);
  const objects = [
    "<< /Type /Catalog /Pages 2 0 R >>",
    `<< /Type /Pages /Kids [${pages.join(" ")}] /Count ${texts.length} >>`,
    "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ...texts.flatMap((text, index) => {
      const content = `BT /F1 40 Tf 20 100 Td (${text}) Tj ET 0 0 0 rg 20 20 60 30 re f`;
      return [
        `<< /Type /Page /Parent 2 0 R /MediaBox [0 0 300 200] /Resources << /Font << /F1 3 0 R >> >> /Contents ${5 + 2 * index} 0 R >>`,
        `<< /Length ${content.length} >>\nstream\n${content}\nendstream`,
      ];
    }),
  ];
  let text = "%PDF-1.4\n";
  const offsets = objects.map((object, index) => {
    const at = text.length;
    text += `${index + 1} 0 obj\n${object}\nendobj\n`;
    return at;
  });
  const entries = offsets.map((at) => `${String(at).padStart(10, "0")} 00000 n \n`).join("");
  const size = objects.length + 1;
  return `${text}xref\n0 ${size}\n0000000000 65535 f \n${entries}trailer << /Size ${size} /Root 1 0 R >>\nstartxref\n${text.length}\n%%EOF\n`;
}

test("14.1 14.12 a file is renamed, deleted, brought back with Ctrl+Z, and a picture and a PDF are looked at and attached", async () => {
  const png = "iVBORw0KGgoAAAANSUhEUgAAAAIAAAABCAIAAAB7QOjdAAAAD0lEQVR4nGNgYGBg+P8fAAMBAf8M9xVVAAAAAElFTkSuQmCC";
  writeFileSync(join(folder, "logo.png"), Buffer.from(png, "base64"));
  writeFileSync(join(folder, "paper.pdf"), pdfOf("First", "Second"));
  writeFileSync(join(folder, "damaged.pdf"), "%PDF-1.4\nnothing\n");
  const { app, context } = await openApp(browser, server.address, { viewport: { width: 1280, height: 800 } });
  const { page } = app;
  const files = page.getByRole("tree", { name: "Documents" });
  const inFolder = (path: string): boolean => existsSync(join(folder, path));
  const row = (name: string) => files.getByRole("treeitem", { name });
  const choose = async (name: string, item: string): Promise<void> => {
    await row(name).click({ button: "right" });
    await page.getByRole("menuitem", { name: item }).click();
  };
  await files.getByRole("treeitem", { name: "today.md" }).click();
  await page.getByRole("textbox", { name: "Text of notes/today.md" }).waitFor();

  // A name is typed in its place; another folder is chosen in a dialog.
  await files.press("F2");
  await page.getByRole("textbox", { name: "Name" }).fill("sunday.md");
  await page.keyboard.press("Enter");
  await page.getByRole("textbox", { name: "Text of notes/sunday.md" }).waitFor();
  await choose("sunday.md", "Move to…");
  const dialog = page.getByRole("dialog", { name: "Move to a folder" });
  await dialog.getByRole("combobox", { name: "Folder" }).fill("diary");
  expect(await violations(page)).toEqual([]);
  await dialog.getByRole("button", { name: "Move" }).click();
  await page.getByRole("textbox", { name: "Text of diary/sunday.md" }).waitFor();
  expect([inFolder("notes/today.md"), readFileSync(join(folder, "diary/sunday.md"), "utf8")]).toEqual([
    false,
    "# Today\n\nWe begin.\n",
  ]);

  await row("notes").waitFor({ state: "detached" });
  await choose("sunday.md", "Move to trash");
  await page.getByText("“sunday.md” is in the trash.").waitFor();
  expect(inFolder("diary/sunday.md")).toBe(false);
  await row("sunday.md").waitFor({ state: "detached" });
  await files.press("Control+z");
  await row("sunday.md").waitFor();
  // Nothing offers to undo it a second time.
  await page.getByText("“sunday.md” is in the trash.").waitFor({ state: "detached", timeout: 2_000 });
  expect(readFileSync(join(folder, "diary/sunday.md"), "utf8")).toBe("# Today\n\nWe begin.\n");

  await files.getByRole("treeitem", { name: "logo.png" }).click();
  const preview = page.getByRole("dialog", { name: "logo.png" });
  await preview.getByRole("img", { name: "logo.png" }).waitFor();
  await preview.getByRole("button", { name: "Attach to the message" }).click();
  const attached = page.getByRole("list", { name: "Attached" });
  await attached.getByText("logo.png").waitFor();
  // A PDF shows its pages; a damaged one says so.
  await files.getByRole("treeitem", { name: "paper.pdf" }).click();
  const paper = page.getByRole("dialog", { name: "paper.pdf" });
  const first = paper.getByRole("img", { name: "Page 1" });
  await first.and(page.locator('[data-state="drawn"]')).waitFor();
  const isDrawn = await first.evaluate((canvas: HTMLCanvasElement) => {
    const { data } = canvas.getContext("2d")?.getImageData(0, 0, canvas.width, canvas.height) ?? { data: [] };
    return [...data].some((value, at) => at % 4 !== 3 && value < 100);
  });
  expect([isDrawn, await paper.getByRole("img").count()]).toEqual([true, 2]);
  expect(await violations(page)).toEqual([]);
  await page.keyboard.press("Escape");
  await files.getByRole("treeitem", { name: "damaged.pdf" }).click();
  await page.getByText("This PDF cannot be shown").waitFor();
  await page.keyboard.press("Escape");
  // A document goes into the message with its text as it is now.
  await choose("sunday.md", "Add to the message");
  await attached.getByText("sunday.md").waitFor();
  await page.keyboard.press("Escape");

  // Somebody else deletes the file that this page has open.
  await files.getByRole("treeitem", { name: "sunday.md" }).click();
  await page.getByRole("textbox", { name: "Text of diary/sunday.md" }).waitFor();
  await new Api({ origin: server.url, token: server.token }).post("/api/commands/file.delete", {
    path: "diary/sunday.md",
  });
  const gone = page.getByRole("region", { name: "In the trash" });
  await gone.getByRole("button", { name: "Restore" }).click();
  await page.getByRole("textbox", { name: "Text of diary/sunday.md" }).waitFor();
  expect(app.complaints).toEqual([]);
  await context.close();
});

test.each([
  ["Keep mine", "# Today\n\nMine.\n"],
  ["Keep the file’s", "# Today\n\nTheirs.\n"],
  ["Show both and merge…", "# Today\n\nMine.\nTheirs.\n"],
])("a conflict is shown with what each way out does; %s", async (choice, expected) => {
  const { app, context } = await openApp(browser, server.address, { viewport: { width: 1280, height: 800 } });
  const { page } = app;
  await page.getByRole("tree", { name: "Documents" }).getByRole("treeitem", { name: "today.md" }).click();
  await page.getByRole("textbox", { name: "Text of notes/today.md" }).waitFor();
  await app.placeCaretAfter("We begin.");
  await page.keyboard.press("Shift+Home");
  await page.keyboard.type("Mine.");
  await expect.poll(() => app.canvasText()).toContain("Mine.");
  writeFileSync(join(folder, "notes/today.md"), "# Today\n\nTheirs.\n");
  const conflict = page.getByRole("group", { name: "Conflict in notes/today.md" });
  await conflict.waitFor({ timeout: 20_000 });
  await conflict.getByText("Around line 3").waitFor();
  expect(onDisk()).toContain("Theirs.");
  expect(await violations(page)).toEqual([]);
  await conflict.getByRole("button", { name: choice }).click();
  if (choice === "Show both and merge…") {
    const merge = page.getByRole("dialog", { name: "Merge notes/today.md" });
    await merge.getByRole("region", { name: "The file’s, line 3" }).getByText("Theirs.").waitFor();
    expect(await violations(page)).toEqual([]);
    await merge.getByRole("radio", { name: "Both" }).check();
    await merge.getByRole("button", { name: "Save this merge" }).click();
  }
  await conflict.waitFor({ state: "detached" });
  await page.locator('.file-state[data-state="clean"]').waitFor();
  await expect.poll(onDisk).toBe(expected);
  await expect.poll(async () => `${(await app.canvasText()).trimEnd()}\n`).toBe(expected);
  if (choice === "Keep mine") {
    rmSync(join(folder, "notes/today.md"));
    const gone = page.getByRole("group", { name: "notes/today.md was deleted on disk" });
    await gone.getByText("Another program deleted this file.").waitFor();
    expect(await violations(page)).toEqual([]);
    await gone.getByRole("button", { name: "Write it again" }).click();
    await gone.waitFor({ state: "detached" });
    expect(onDisk()).toBe(expected);
  }
  if (choice === "Keep the file’s") {
    await page.getByRole("button", { name: "Undo mine" }).click();
    await expect.poll(() => app.canvasText()).toContain("Mine.");
  }
  expect(app.complaints).toEqual([]);
  await context.close();
});
