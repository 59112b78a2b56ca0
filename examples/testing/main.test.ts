// Your own store is complete when the suite passes; here the built-in memory store takes its place. A program that talks to
// Heddle is tested with a whole server. Run it with vitest 5.
import { describe, expect, test } from "vitest";
import { openMemoryStore } from "heddle";
import { connectTestClient, describeStore, seededRandom, startTestServer, until } from "heddle/testing";

describeStore(
  "example",
  async () => {
    const store = openMemoryStore();
    return { store, dispose: () => store.close() };
  },
  { rounds: 2 },
);

describe("a program that speaks with Heddle", () => {
  test("types into a document that another client reads", async () => {
    const server = await startTestServer({ welcome: false });
    const [ann, ben] = [connectTestClient(server, { name: "Ann" }), connectTestClient(server, { name: "Ben" })];
    try {
      const created = await ann.call("canvas.create", { title: "Shopping", text: "Tea\n" });
      if (!created.ok) throw new Error(created.error.message);
      const texts = [ann.openText(created.value.canvasId), ben.openText(created.value.canvasId)] as const;
      for (const text of texts) await until(text.header, (header) => header !== null);

      // Numbers that look random and are the same in every run.
      const pounds = 1 + seededRandom(7).below(9);
      texts[0].edit([{ from: 0, to: 0, insert: `Flour, ${pounds} lb\n` }]);
      await until(texts[1].header, () => texts[1].text().includes("Flour"));
      expect(texts[1].text()).toBe(`Flour, ${pounds} lb\nTea\n`);
    } finally {
      ann.close();
      ben.close();
      await server.close();
    }
  });
});
