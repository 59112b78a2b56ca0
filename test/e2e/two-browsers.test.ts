import type { Browser } from "playwright-core";
import { afterAll, beforeAll, expect, test } from "vitest";
import { createScribe } from "../../src/adapters/providers/scribe/scribe.ts";
import { must } from "../../src/core/base/assert.ts";
import { launchBrowser } from "./browser.ts";
import { seededRandom, type SeededRandom } from "../../src/testing/seeded-random.ts";
import { startTestServer, type TestServer } from "../../src/testing/test-server.ts";
import { scaled } from "../scale.ts";
import { AppPage, showSource } from "./app-page.ts";
import { layRoughNetwork, type RoughNetwork } from "./rough-network.ts";

// Faster than a person reads, slow enough for people to type meanwhile.
const scribe = createScribe((delayMs) => new Promise((resolve) => setTimeout(resolve, delayMs / 6)));

let browser: Browser;
let server: TestServer;

beforeAll(async () => {
  [browser, server] = await Promise.all([
    launchBrowser(),
    startTestServer({
      store: "sqlite",
      catalogue: { list: () => [scribe.info], find: (id) => (id === scribe.info.id ? scribe : undefined) },
    }),
  ]);
});

afterAll(async () => {
  await browser?.close();
  await server?.close();
});

interface Person {
  readonly name: string;
  readonly app: AppPage;
  readonly network: RoughNetwork;
  /** The digits that only this person types, so that every keystroke can be counted in the text. */
  readonly digits: string;
  typed: number;
}

// One in an ordinary run, two hundred under torture.
const runs = scaled(1, 200);

test(
  "two browsers and an agent end with the same text on any network",
  { timeout: 120_000 + runs * 60_000 },
  async () => {
    for (let seed = 1; seed <= runs; seed += 1) {
      await run(seed).catch((problem: unknown) => {
        throw new Error(`seed ${seed}: ${String(problem)}`, { cause: problem });
      });
    }
  },
);

async function run(seed: number): Promise<void> {
  const random = seededRandom(seed);
  const { workspace } = server;
  const author = workspace.author(visitor, await workspace.replicas.forClient("test-setup-0000000001", visitor));
  const canvas = await workspace.createCanvas(author, { title: `Plan ${seed}`, text: startText });
  const canvasId = must(canvas.ok ? canvas.value : undefined, "a canvas is made");
  const created = await workspace.conversations.create({ title: `Plan ${seed}`, canvasId });
  must(created.ok ? created.value : undefined, "a conversation is made");

  const people = await Promise.all(
    ["Ada", "Bo"].map((name, index) => arrive(name, seededRandom(seed * 100 + index), `Plan ${seed}`)),
  );
  const [ada, bo] = people;
  await must(ada, "somebody asks").app.send("Add a section on testing, then add a section on gardens");
  for (let step = 0; step < 8; step += 1) {
    const person = random.oneIn(2) ? must(ada, "Ada is there") : must(bo, "Bo is there");
    await typeWord(person, random);
    if (random.oneIn(4)) person.network.cut();
  }
  for (const { network } of people) network.calm();
  await Promise.all(people.map(({ app }) => app.waitForConnection("live")));
  await expect.poll(async () => (await workspace.store.unsettledRuns()).length, { timeout: 30_000 }).toBe(0);

  const stored = async (): Promise<string> => {
    const reading = await workspace.hub.reader.read(canvasId);
    return must(reading.ok ? reading.value : undefined, "the canvas can be read").text;
  };
  // When all is idle, everybody shows the stored text, with every keystroke in it once.
  const differences = async (): Promise<readonly string[]> => {
    const text = await stored();
    const shown = await Promise.all(people.map(({ app }) => app.canvasText()));
    return people.flatMap(({ name, digits, typed, app }, index) => [
      ...app.complaints,
      ...(shown[index] === text
        ? []
        : [`${name} shows ${JSON.stringify(shown[index])}, stored is ${JSON.stringify(text)}`]),
      ...(count(text, digits) === typed
        ? []
        : [`of ${typed} keystrokes of ${name} ${count(text, digits)} are in ${JSON.stringify(text)}`]),
    ]);
  };
  await expect.poll(differences).toEqual([]);
  expect(await stored()).toMatch(/^## Gardens$/m);
  // Each sees where the other's caret is.
  await must(ada, "Ada is there").app.placeCaretAfter("First place");
  await must(bo, "Bo is there").app.placeCaretAfter("Third place");
  for (const [{ app }, line] of [
    [must(ada, "Ada is there"), "Third place"],
    [must(bo, "Bo is there"), "First place"],
  ] as const) {
    await app.editor.locator(".cm-line", { hasText: line }).locator(".remote-caret").waitFor();
  }
  for (const { app } of people) {
    expect(app.complaints).toEqual([]);
    await app.page.context().close();
  }
}

async function arrive(name: string, random: SeededRandom, conversation: string): Promise<Person> {
  // Tall enough that the editor renders every line.
  const context = await browser.newContext({ viewport: { width: 1300, height: 2600 }, reducedMotion: "reduce" });
  await showSource(context);
  const page = await context.newPage();
  const network = await layRoughNetwork(page, random);
  const app = new AppPage(page);
  await page.goto(server.address);
  await app.waitForConnection("live");
  await page.getByRole("treeitem", { name: conversation, exact: true }).first().click();
  await app.editor.getByText("First place").waitFor();
  await page.getByRole("heading", { name: /^Ask/ }).waitFor();
  return { name, app, network, digits: name === "Ada" ? "1234" : "6789", typed: 0 };
}

/** Types at the end of a line, as people do. Two people may do so at once, even in one line. */
async function typeWord(person: Person, random: SeededRandom): Promise<void> {
  await person.app.placeCaretAfter(random.pick(["First place", "Second place", "Third place"]));
  await person.app.type(` ${person.digits}`, 12);
  person.typed += person.digits.length;
}

function count(text: string, digits: string): number {
  return [...text].filter((character) => digits.includes(character)).length;
}

const visitor = { type: "person", id: "person_setup", name: "Setup" } as Parameters<
  TestServer["workspace"]["author"]
>[0];

const startText = `# Plan

First place.

Second place.

Third place.
`;
