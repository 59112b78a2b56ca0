import type { ViewportSize } from "playwright-core";
import { afterAll, beforeAll } from "vitest";
import { must } from "../../src/core/base/assert.ts";
import {
  startMockProvider,
  type MockProvider,
  type MockProviderOptions,
} from "../../src/testing/mock-provider/server.ts";
import { openApp, type AppPage } from "./app-page.ts";
import { launchBrowser } from "./browser.ts";
import { startServerProcess, temporaryDirectory, type ServerOptions } from "./server-process.ts";

/** What the tests of one file share. */
export interface AppWithModel {
  readonly app: AppPage;
  readonly provider: MockProvider;
}

interface Options {
  readonly provider: MockProviderOptions;
  /** How the server finds the provider; by default by Anthropic's address and a key. */
  readonly server?: (providerUrl: string) => Omit<ServerOptions, "dataDirectory">;
  readonly viewport?: ViewportSize;
}

/**
 * Opens a new conversation in a browser, at a server whose model is the mock provider, before the first test of the file;
 * closes everything after the last. Returns what was opened once a test runs.
 */
export function appWithModel({ provider: model, server: how = anthropic, viewport }: Options): () => AppWithModel {
  let opened: AppWithModel | null = null;
  const closers: (() => Promise<unknown>)[] = [];
  beforeAll(async () => {
    const folder = await temporaryDirectory();
    closers.push(() => folder.remove());
    const provider = await startMockProvider(model);
    closers.push(() => provider.close());
    const server = await startServerProcess({ dataDirectory: folder.path, ...how(provider.url) });
    closers.push(() => server.stop());
    const browser = await launchBrowser();
    closers.push(() => browser.close());
    const { app } = await openApp(browser, server.url, { viewport: viewport ?? { width: 1400, height: 900 } });
    opened = { app, provider };
    await app.page.getByRole("button", { name: "New conversation" }).click();
    await app.page.getByRole("heading", { name: "Ask for a change in Welcome" }).waitFor();
  });
  afterAll(async () => {
    for (const close of closers.toReversed()) await close();
  });
  return () => must(opened, "a test runs");
}

function anthropic(url: string): Omit<ServerOptions, "dataDirectory"> {
  return { env: { ANTHROPIC_BASE_URL: url, ANTHROPIC_API_KEY: "a-key-of-the-test" } };
}
