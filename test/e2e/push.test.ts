import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import type { Browser, Page } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { JsonObject } from "../../src/core/base/json.ts";
import { pushReader } from "../../src/host/push/decrypt-push.test-support.ts";
import { Api } from "./api.ts";
import { openApp } from "./app-page.ts";
import { violations } from "./axe.ts";
import { launchBrowser } from "./browser.ts";
import { startServerProcess, temporaryDirectory, type ServerProcess } from "./server-process.ts";

let browser: Browser;
let service: Server;
let server: ServerProcess;
let folder: Awaited<ReturnType<typeof temporaryDirectory>>;
const reader = pushReader();
/** What the push service got, as the browser reads it. */
const told: JsonObject[] = [];

beforeAll(async () => {
  service = createServer((request, response) => {
    const parts: Buffer[] = [];
    request.on("data", (part: Buffer) => parts.push(part));
    request.on("end", () => {
      told.push(reader.read(Buffer.concat(parts)));
      response.writeHead(201).end();
    });
  });
  await new Promise<void>((resolve) => service.listen(0, "127.0.0.1", resolve));
  folder = await temporaryDirectory();
  const env = { HEDDLE_WEBHOOK_HOSTS: serviceHost() };
  [browser, server] = await Promise.all([
    launchBrowser(),
    startServerProcess({ dataDirectory: folder.path, env: { ...env, HEDDLE_MODEL: "scripted/scribe" } }),
  ]);
});

afterAll(async () => {
  await browser?.close();
  await server?.stop();
  service?.close();
  await folder?.remove();
});

const serviceHost = (): string => `127.0.0.1:${(service.address() as AddressInfo).port}`;

/** Takes the place of the browser maker's push service, which a test cannot reach: the subscription is the test's. */
function takePushService(browserKeys: { endpoint: string; p256dh: string; auth: string }): void {
  const { endpoint, ...keys } = browserKeys;
  const kept = (): boolean => localStorage.getItem("test.subscribed") === "yes";
  const subscription = {
    endpoint,
    toJSON: () => ({ endpoint, keys }),
    unsubscribe: async () => localStorage.removeItem("test.subscribed"),
  };
  // This browser without a window refuses notifications, whatever a test grants.
  class Allowed extends EventTarget {
    static readonly permission = "granted";
  }
  Object.assign(globalThis, { Notification: Allowed });
  Object.assign(PushManager.prototype, {
    subscribe: async () => {
      localStorage.setItem("test.subscribed", "yes");
      return subscription;
    },
    getSubscription: async () => (kept() ? subscription : null),
  });
}

/** Has the page's service worker keep what it would show, which this browser without a window refuses. */
function keepShown(): void {
  const { registration } = globalThis as unknown as { registration: ServiceWorkerRegistration };
  const kept: object[] = [];
  Object.assign(registration, {
    showNotification: async (title: string, options: object) => kept.push({ title, ...options, close: () => {} }),
    getNotifications: async () => kept,
  });
}

/** Hands a push to the page's service worker, as the browser does. */
async function deliver(page: Page, data: JsonObject): Promise<void> {
  const devTools = await page.context().newCDPSession(page);
  const registered = new Promise<string>((resolve) => {
    devTools.on("ServiceWorker.workerRegistrationUpdated", ({ registrations }) => {
      const found = registrations.find(({ isDeleted, scopeURL }) => !isDeleted && scopeURL.startsWith(server.origin));
      if (found !== undefined) resolve(found.registrationId);
    });
  });
  await devTools.send("ServiceWorker.enable");
  await devTools.send("ServiceWorker.deliverPushMessage", {
    origin: server.origin,
    registrationId: await registered,
    data: JSON.stringify(data),
  });
  await devTools.detach();
}

test("17.18 a browser whose pages are closed is told that an agent has finished, by a push that a press leads from", async () => {
  const { app, context } = await openApp(browser, server.url, { viewport: { width: 1280, height: 900 } });
  const keys = { endpoint: `http://${serviceHost()}/send/1`, p256dh: reader.p256dh, auth: reader.auth };
  await context.addInitScript(takePushService, keys);
  const { page } = app;
  await page.reload();
  await app.waitForConnection("live");
  const { conversations } = await new Api(server).get<{ conversations: readonly { id: string }[] }>(
    "/api/conversations",
  );
  const rootId = conversations[0]?.id ?? "";

  // Off until asked for.
  await page.getByRole("button", { name: "Settings" }).click();
  const settings = page.getByRole("dialog", { name: "Settings" });
  await settings.getByRole("radio", { name: "When an agent waits for you or has finished" }).click();
  const closed = settings.getByRole("checkbox", { name: "Also while no page of Heddle is open" });
  expect(await closed.isChecked()).toBe(false);
  await closed.click();
  await expect.poll(() => closed.isChecked()).toBe(true);
  expect(await violations(page)).toEqual([]);
  await page.keyboard.press("Escape");

  // A page is seen: nothing is sent.
  const answers = page.getByText("I understand orders like these");
  await app.send("What can you do?");
  await expect.poll(() => answers.count()).toBeGreaterThan(0);
  await expect.poll(() => app.state()).toBe("idle");
  expect(told).toEqual([]);

  await page.close();
  const ask = () =>
    new Api(server).post("/api/commands/message.send", { rootId, parentNodeId: null, text: "What can you do?" });
  await ask();
  await expect.poll(() => told).toEqual([{ kind: "finished", rootId, title: "Welcome" }]);

  // The service worker shows it, and a press leads to the conversation.
  const again = await context.newPage();
  await again.goto(server.origin);
  await again.getByRole("button", { name: "New conversation" }).click();
  await expect.poll(() => again.title()).not.toBe("Welcome · Heddle");
  const [worker] = context.serviceWorkers();
  await worker?.evaluate(keepShown);
  await deliver(again, told[0] ?? {});
  const shown = () =>
    worker?.evaluate(async () => {
      const { registration } = globalThis as unknown as { registration: ServiceWorkerRegistration };
      return (await registration.getNotifications()).map(({ title, body }) => `${title}: ${body}`);
    });
  await expect.poll(shown).toEqual(["Welcome: The agent has finished."]);
  await worker?.evaluate(async () => {
    const { registration } = globalThis as unknown as { registration: ServiceWorkerRegistration };
    const [notification] = await registration.getNotifications();
    dispatchEvent(Object.assign(new Event("notificationclick"), { notification, waitUntil: () => {} }));
  });
  await expect.poll(() => again.title()).toBe("Welcome · Heddle");
  const opened = await context.newPage();
  await opened.goto(`${server.origin}/#conversation=${rootId}`);
  await expect.poll(() => opened.title()).toBe("Welcome · Heddle");
  expect(new URL(opened.url()).hash).toBe("");
  await opened.close();

  // Off: nothing is sent any more.
  await again.getByRole("button", { name: "Settings" }).click();
  await again.getByRole("checkbox", { name: "Also while no page of Heddle is open" }).click();
  await expect.poll(() => again.evaluate(() => localStorage.getItem("test.subscribed"))).toBe(null);
  await again.close();
  await ask();
  await expect
    .poll(async () =>
      (
        await new Api(server).get<{ conversations: readonly { activity?: string }[] }>("/api/conversations")
      ).conversations.every(({ activity }) => activity === undefined),
    )
    .toBe(true);
  expect(told.length).toBe(1);
  expect(app.complaints).toEqual([]);
  await context.close();
});
