import { setTimeout as sleep } from "node:timers/promises";
import type { TextReplica } from "../../src/client/base/types.ts";
import { connectTestClient, until } from "../../src/testing/test-client.ts";
import { isOver, type Crew, type CrewWish } from "./crew.ts";

/** Opens a canvas in the pages of several people, who type one word after the other and look for it in the next one's page. */
export async function startPeople({ to, count, canvasId }: CrewWish): Promise<Crew> {
  const pages = Array.from({ length: count }, (_, index) => connectTestClient(to, { name: `person${index}` }));
  const texts = pages.map((page) => page.openText(canvasId));
  for (const text of texts) await until(text.header, (header) => header !== null);
  return {
    async work(hours, note) {
      await Promise.all(
        texts.map(async (text, index) => {
          const reader = texts[(index + 1) % texts.length] ?? text;
          for (let word = 0; !isOver(hours, Date.now()); word += 1) {
            const mark = `[person${index}-${word}]`;
            const at = Date.now();
            const from = performance.now();
            text.edit([{ from: 0, to: 0, insert: mark }]);
            await arrival(reader, mark);
            note({ mark, by: `person${index}`, at, ms: performance.now() - from });
            await sleep(20);
          }
        }),
      );
      for (const text of texts) await until(text.unconfirmed, (unconfirmed) => unconfirmed === 0);
    },
    async finish(final) {
      for (const text of texts) await until(text.header, () => text.text() === final, 60_000);
      for (const page of pages) page.close();
    },
  };
}

/** Resolves when a page has these words; it hears of every change, so nobody asks again and again. */
async function arrival(text: TextReplica, words: string): Promise<void> {
  await until(text.header, () => text.text().includes(words), 60_000);
}
