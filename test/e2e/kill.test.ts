import { setTimeout as delay } from "node:timers/promises";
import { expect, test } from "vitest";
import { launchBrowser } from "./browser.ts";
import { seededRandom } from "../../src/testing/seeded-random.ts";
import { scaled } from "../scale.ts";
import { Api } from "./api.ts";
import { AppPage, openApp } from "./app-page.ts";
import { startServerProcess, temporaryDirectory } from "./server-process.ts";

const kills = scaled(2, 50);

test(`17.12 a page reconnects after kill -9 of the server and shows everything typed and written (${kills} kills)`, async () => {
  const random = seededRandom(4_711);
  const folder = await temporaryDirectory();
  const browser = await launchBrowser();
  let server = await startServerProcess({ dataDirectory: folder.path });
  try {
    const { app } = await openApp(browser, server.url);
    let typed = 0;
    let asked = 0;
    for (let kill = 1; kill <= kills; kill += 1) {
      if ((await app.state()) === "idle") {
        // Alternates, so that the text stays short enough for the page to show it whole.
        await app.send(asked % 2 === 0 ? "Add a section on gardens" : "Remove the section Gardens");
        asked += 1;
      }
      await app.placeCaretAfter("This part is yours.");
      const dying = delay(random.below(1_200)).then(() => server.kill());
      await app.type(" 0987654321", 60);
      typed += 10;
      await dying;
      await app.page.locator('[data-testid="connection"]:not([data-state="live"])').waitFor();
      // Words typed while no server runs are kept too.
      await app.type("5", 0);
      typed += 1;
      server = await startServerProcess({ dataDirectory: folder.path, port: server.port });
      await app.waitForConnection("live");
    }
    await app.waitForState("idle");
    const api = new Api(server);
    const { conversations } = await api.get<{ conversations: readonly { id: string; canvasId: string }[] }>(
      "/api/conversations",
    );
    const stored = (): Promise<string> => api.textOf(conversations[0]?.canvasId ?? "");
    await expect.poll(async () => [...(await stored())].filter((character) => /\d/.test(character)).length).toBe(typed);
    // A text read by lines has no final line end.
    await expect.poll(async () => (await app.canvasText()).trimEnd()).toBe(await stored());
    expect(/^## Gardens$/m.test(await stored())).toBe(asked % 2 === 1);
    expect(app.complaints).toEqual([]);
  } finally {
    await browser.close();
    await server.stop();
    await folder.remove();
  }
});

test("17.10 words typed while no server runs are in their document after the page was closed and Heddle opened again", async () => {
  const folder = await temporaryDirectory();
  const browser = await launchBrowser();
  let server = await startServerProcess({ dataDirectory: folder.path });
  try {
    const { app, context } = await openApp(browser, server.url);
    await app.placeCaretAfter("This part is yours.");
    await server.kill();
    await app.page.locator('[data-testid="connection"]:not([data-state="live"])').waitFor();
    await app.type(" Typed on the train.", 0);
    await app.page.close();
    server = await startServerProcess({ dataDirectory: folder.path, port: server.port });
    const page = await context.newPage();
    await page.goto(server.url);
    await page.getByText("Words from a page that was closed").waitFor();
    await page.locator(".cm-content").getByText("This part is yours. Typed on the train.").waitFor();

    // A page that stays open sends the words of one that is closed: nothing needs to be loaded again.
    const second = new AppPage(await context.newPage());
    await second.page.goto(server.url);
    await second.placeCaretAfter("Typed on the train.");
    await server.kill();
    await second.page.locator('[data-testid="connection"]:not([data-state="live"])').waitFor();
    await second.type(" And in the tunnel.", 0);
    await second.page.close();
    server = await startServerProcess({ dataDirectory: folder.path, port: server.port });
    await page.locator(".cm-content").getByText("Typed on the train. And in the tunnel.").waitFor();
  } finally {
    await browser.close();
    await server.stop();
    await folder.remove();
  }
});
