import { setTimeout as delay } from "node:timers/promises";
import type { HeddleClient } from "../../src/client/base/types.ts";
import { must } from "../../src/core/base/assert.ts";
import type { NodeId } from "../../src/core/base/ids.ts";
import { welcomeText } from "../../src/host/workspace/welcome.ts";
import { seededRandom } from "../../src/testing/seeded-random.ts";
import { connectTestClient, until } from "../../src/testing/test-client.ts";
import { isResting } from "../process/typist.ts";
import type { Place, Places } from "./places.ts";

/** What the agents did. */
export interface Turns {
  turns: number;
  conversations: number;
  /** Turns that did not end, or failed, in words. */
  readonly stuck: string[];
}

export interface AuthorsWish {
  readonly server: { readonly url: string; readonly token: string };
  readonly places: Places;
  readonly count: number;
  readonly signal: AbortSignal;
  readonly seed: number;
}

/** After so many turns an agent goes on with a new canvas and a new conversation. */
const turnsOfConversation = 6;
/** A turn of the scribe takes some seconds; one that was killed goes on after the next start. */
const turnMs = 180_000;

/** Lets agents write in a canvas each, as long as nobody stops them; returns once each has a place. */
export async function startAuthors(wish: AuthorsWish, noted: Turns): Promise<{ readonly ended: Promise<void> }> {
  const clients = Array.from({ length: wish.count }, (_, author) =>
    connectTestClient(wish.server, { clientId: `author-of-a-soak-${author}`, name: `Asker ${author}` }),
  );
  const firsts = await Promise.all(clients.map((client, author) => begin(client, author, wish, noted)));
  const work = clients.map(async (client, author) => {
    try {
      let place = must(firsts[author], "a place");
      while (!wish.signal.aborted) {
        await converse(client, { author, place }, wish, noted);
        if (!wish.signal.aborted) place = await begin(client, author, wish, noted);
      }
    } catch (problem) {
      noted.stuck.push(`agent ${author}: ${String(problem).slice(0, 300)}`);
    } finally {
      client.close();
    }
  });
  return { ended: Promise.all(work).then(() => undefined) };
}

async function begin(client: HeddleClient, author: number, { places }: AuthorsWish, noted: Turns): Promise<Place> {
  const title = `Soak ${author}-${noted.conversations}`;
  noted.conversations += 1;
  const canvas = await client.call("canvas.create", { title, text: welcomeText });
  if (!canvas.ok) throw new Error(canvas.error.message);
  const { canvasId } = canvas.value;
  const conversation = await client.call("conversation.create", { title, canvasId, model: "scripted/scribe" });
  if (!conversation.ok) throw new Error(conversation.error.message);
  const place: Place = { canvasId, rootId: conversation.value.rootId };
  places.move(author, place);
  return place;
}

/** Asks for one change after the other, and waits for the end of each turn. */
async function converse(
  client: HeddleClient,
  { author, place: { rootId } }: { readonly author: number; readonly place: Place },
  { signal, seed }: AuthorsWish,
  noted: Turns,
): Promise<void> {
  const random = seededRandom(seed + author);
  const conversation = client.conversation(rootId);
  const stop = conversation.subscribe(() => {});
  try {
    await until(conversation, (view) => view !== null, turnMs);
    for (let turn = 0; turn < turnsOfConversation && !signal.aborted; turn += 1) {
      const before = conversation.get()?.nodesById.size ?? 0;
      const parentNodeId: NodeId | null = conversation.get()?.runs[0]?.headNodeId ?? null;
      const text = `Add a section on topic ${turn}${random.oneIn(3) ? ", then tighten the introduction" : ""}`;
      const sent = await client.call("message.send", { rootId, parentNodeId, text });
      if (!sent.ok) throw new Error(`message.send: ${sent.error.code}`);
      await until(conversation, (view) => (view?.nodesById.size ?? 0) > before + 1, turnMs);
      await until(conversation, isResting, turnMs);
      noted.turns += 1;
      const state = conversation.get()?.runs[0]?.state;
      if (state?.type === "error") noted.stuck.push(`agent ${author}, ${rootId}: the turn ended in an error`);
      if (!signal.aborted) await delay(1_000 + random.below(4_000));
    }
  } finally {
    stop();
  }
}
