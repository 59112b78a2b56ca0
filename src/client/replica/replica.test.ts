import { describe, expect, test } from "vitest";
import { seededRandom, type SeededRandom } from "../../testing/seeded-random.ts";
import { mirrorOf, theBlock, oneBlockServer, type OneBlockServer } from "./one-block-server.test-support.ts";
import { scaled } from "../../../test/scale.ts";
import { connectHeddle } from "../connect.ts";
import type { HeddleClient, TextReplica } from "../base/types.ts";

interface Page {
  readonly client: HeddleClient;
  readonly text: TextReplica;
  readonly mirror: { readonly text: string };
}

function openPage(server: OneBlockServer, name: string, random = seededRandom(name.length)): Page {
  const client = connectHeddle({
    url: "http://simulated",
    token: "token",
    clientId: `page-${name}`.padEnd(16, "-"),
    platform: server.platform(() => random.below(1000) / 1000),
  });
  const text = client.openText(theBlock);
  return { client, text, mirror: mirrorOf(text) };
}

/** Delivers one message somewhere, or lets a little time pass. */
function step(server: OneBlockServer, random: SeededRandom): void {
  const busy = server.sockets;
  const socket = busy[random.below(Math.max(1, busy.length))];
  if (socket === undefined || random.oneIn(20)) server.passTime();
  else if (random.oneIn(2)) socket.deliverUp();
  else socket.deliverDown();
}

function type(page: Page, random: SeededRandom, word: string): void {
  if (page.text.ready) {
    const at = random.below(page.text.length + 1);
    page.text.edit([{ from: at, to: at, insert: word }]);
  }
}

/** Delivers every frame that the first page has sent, then every frame sent to it. */
function exchange(server: OneBlockServer): void {
  const [socket] = server.sockets;
  while ((socket?.up.length ?? 0) > 0) socket?.deliverUp();
  while ((socket?.down.length ?? 0) > 0) socket?.deliverDown();
}

describe("pages over a network that delays, disconnects and restarts", () => {
  test.each(Array.from({ length: scaled(150) }, (_, seed) => seed + 1))(
    "B-28 B-31 seed %i: every page ends with the server's text, which contains each typed word exactly once",
    (seed) => {
      const random = seededRandom(seed);
      const server = oneBlockServer("The beginning.\n", { answersFirst: seed % 2 === 0 });
      const pages = ["ada", "bob", "cyd"].map((name) => openPage(server, name, random));
      const words: string[] = [];
      for (let round = 0; round < 300; round += 1) {
        const page = pages[random.below(pages.length)];
        if (page !== undefined && random.oneIn(6) && page.text.ready) {
          const word = `<${words.length}>`;
          words.push(word);
          // Only between other words: an insertion inside a word would split it.
          const gaps = [...page.text.text().matchAll(/(?=<)|$/g)].map((gap) => gap.index);
          const at = gaps[random.below(gaps.length)] ?? 0;
          page.text.edit([{ from: at, to: at, insert: word }]);
        }
        if (random.oneIn(40)) server.sockets[random.below(3)]?.cut();
        if (random.oneIn(120)) server.restart();
        step(server, random);
      }
      server.settle();
      for (const { text, mirror } of pages) {
        expect(text.text()).toBe(server.text);
        expect(mirror.text).toBe(server.text);
        expect(text.unconfirmed.get()).toBe(0);
        expect(text.refused.get()).toBeNull();
      }
      for (const word of words) expect(server.text.split(word)).toHaveLength(2);
      for (const { client } of pages) client.close();
    },
  );

  test.each(Array.from({ length: scaled(60) }, (_, seed) => seed + 1))(
    "seed %i: every page ends with the server's text after edits that replace and delete, and undo",
    async (seed) => {
      const random = seededRandom(seed * 7919);
      const server = oneBlockServer("Some text to begin with, long enough to delete from.\n", {
        answersFirst: seed % 2 === 0,
      });
      const pages = ["ada", "bob"].map((name) => openPage(server, name, random));
      for (let round = 0; round < 250; round += 1) {
        const page = pages[random.below(pages.length)];
        if (page !== undefined && page.text.ready && random.oneIn(5)) {
          const from = random.below(page.text.length + 1);
          const to = Math.min(page.text.length, from + random.below(6));
          page.text.edit([{ from, to, insert: random.oneIn(3) ? "" : `w${round} ` }]);
        }
        if (page !== undefined && random.oneIn(25)) void page.client.call("block.undo-mine", { blockId: theBlock });
        if (random.oneIn(60)) server.sockets[random.below(2)]?.cut();
        step(server, random);
        await Promise.resolve();
      }
      // An undo is sent only once the one before it has been answered.
      for (let rest = 0; rest < 20; rest += 1) {
        server.settle();
        for (let turn = 0; turn < 8; turn += 1) await Promise.resolve();
      }
      for (const { text, mirror, client } of pages) {
        expect(text.text()).toBe(server.text);
        expect(mirror.text).toBe(server.text);
        client.close();
      }
    },
  );
});

describe("an edit that the server refuses for good", () => {
  test("is removed from the text, and the refusal has what was typed", () => {
    const server = oneBlockServer("Locked.");
    const page = openPage(server, "ada");
    server.settle();
    server.refuseNextPush("CANVAS_LEASED");
    page.text.edit([{ from: 0, to: 0, insert: "Mine! " }]);
    page.text.edit([{ from: 6, to: 6, insert: "All of it. " }]);
    expect(page.text.text()).toBe("Mine! All of it. Locked.");
    server.settle();
    expect(page.text.text()).toBe("Locked.");
    expect(page.mirror.text).toBe("Locked.");
    expect(page.text.refused.get()).toMatchObject({
      code: "CANVAS_LEASED",
      details: { lostText: "Mine! All of it. " },
    });
    expect(page.text.unconfirmed.get()).toBe(0);
    page.text.dismissRefusal();
    page.text.edit([{ from: 0, to: 0, insert: "Now " }]);
    server.settle();
    expect(server.text).toBe("Now Locked.");
    expect(page.text.refused.get()).toBeNull();
  });
});

describe("an edit made after a refusal", () => {
  function refuseOnce(): { readonly server: OneBlockServer; readonly page: Page } {
    const server = oneBlockServer("Locked.");
    const page = openPage(server, "ada");
    server.settle();
    server.refuseNextPush("CANVAS_LEASED");
    page.text.edit([{ from: 0, to: 0, insert: "Mine! " }]);
    exchange(server);
    expect(page.text.refused.get()).toMatchObject({ code: "CANVAS_LEASED", details: { lostText: "Mine! " } });
    return { server, page };
  }

  test("is kept until the fresh copy, also when the page goes offline and the refusal is dismissed", () => {
    const { server, page } = refuseOnce();
    page.text.dismissRefusal();
    server.sockets[0]?.cut();
    page.text.edit([{ from: page.text.length, to: page.text.length, insert: " And on." }]);
    server.settle();
    expect(page.text.refused.get()).toBeNull();
    expect(server.text).toBe("Locked. And on.");
    expect(page.text.text()).toBe(server.text);
    expect(page.mirror.text).toBe(server.text);
  });

  test("is added to lostText when it is refused too, until a person dismisses the refusal", () => {
    const { server, page } = refuseOnce();
    server.settle();
    server.refuseNextPush("CANVAS_LEASED");
    page.text.edit([{ from: 0, to: 0, insert: "Mine again!" }]);
    server.settle();
    expect(page.text.refused.get()).toMatchObject({ details: { lostText: "Mine! Mine again!" } });
    page.text.dismissRefusal();
    server.refuseNextPush("CANVAS_LEASED");
    page.text.edit([{ from: 0, to: 0, insert: "Third." }]);
    server.settle();
    expect(page.text.refused.get()).toMatchObject({ details: { lostText: "Third." } });
  });
});

test.each(["STORE_FAILED", "STORE_FULL", "RATE_LIMITED", "SHUTTING_DOWN"] as const)(
  "an edit refused for now (%s) stays in the text and is sent again until the server stores it",
  (code) => {
    const server = oneBlockServer("text");
    const page = openPage(server, "ada");
    server.settle();
    server.refuseNextPush(code);
    page.text.edit([{ from: 4, to: 4, insert: " and" }]);
    exchange(server);
    expect(page.text.text()).toBe("text and");
    expect(page.text.unconfirmed.get()).toBe(1);
    const shown = page.text.refused.get();
    if (code.startsWith("STORE")) expect(shown).toMatchObject({ code });
    else expect(shown).toBeNull();
    expect(shown?.details ?? {}).not.toHaveProperty("lostText");
    page.text.edit([{ from: 8, to: 8, insert: " more" }]);
    // A short wait is no reason for a warning.
    expect(page.client.unsentWords()).toBe(shown === null ? "" : " and more");
    server.settle();
    expect(page.client.unsentWords()).toBe("");
    expect(server.text).toBe("text and more");
    expect(page.text.refused.get()).toBeNull();
    expect(page.text.unconfirmed.get()).toBe(0);
  },
);

test.each(["INTERNAL", "STORE_FAILED", "RATE_LIMITED"] as const)(
  "a text whose watch was refused for now (%s) is watched again",
  (code) => {
    const server = oneBlockServer("text");
    server.refuseNextWatch(code);
    const page = openPage(server, "ada");
    const shown: unknown[] = [];
    page.text.refused.subscribe(() => shown.push(page.text.refused.get()?.code));
    server.settle();
    expect(shown).toEqual([code, undefined]);
    expect(page.text.text()).toBe("text");
    server.refuseNextWatch(code);
    server.restart();
    server.settle();
    expect(page.text.refused.get()).toBeNull();
    const other = openPage(server, "bob");
    server.settle();
    other.text.edit([{ from: 0, to: 0, insert: "More " }]);
    server.settle();
    expect(page.text.text()).toBe("More text");
  },
);

test("a text whose copies arrive damaged reports INTERNAL and requests copies until one is intact", () => {
  const server = oneBlockServer("text");
  const page = openPage(server, "ada");
  let damaged = 0;
  const damage = (): void => {
    for (const { down } of server.sockets) {
      for (const [index, frame] of down.entries()) {
        if (!frame.includes('"block-snapshot"') || damaged === 5) continue;
        down[index] = frame.replace(/"hash":"[^"]*"/, '"hash":"00000000"');
        damaged += 1;
      }
    }
  };
  for (let round = 0; round < 60; round += 1) {
    server.sockets[0]?.deliverUp();
    damage();
    server.sockets[0]?.deliverDown();
    if (round % 10 === 9) server.passTime();
    if (damaged === 4) expect(page.text.refused.get()).toMatchObject({ code: "INTERNAL" });
  }
  expect([damaged, page.text.text(), page.text.refused.get()]).toEqual([5, "text", null]);
});

test("edits made before and after an edit that a restored server lost appear exactly once", () => {
  const server = oneBlockServer("text");
  const page = openPage(server, "ada");
  const other = openPage(server, "bob");
  server.settle();
  other.text.edit([{ from: 4, to: 4, insert: " by others" }]);
  const [own, others] = server.sockets;
  while ((others?.up.length ?? 0) > 0) others?.deliverUp();
  while ((own?.up.length ?? 0) > 0) own?.deliverUp();
  page.text.edit([{ from: 0, to: 0, insert: "[one] " }]);
  // The push is lost on its way when the other page's edit arrives.
  own?.up.splice(0);
  own?.deliverDown();
  while ((own?.down.length ?? 0) > 0) own?.deliverDown();
  expect(page.text.text()).toBe("[one] text by others");
  page.text.edit([{ from: 20, to: 20, insert: " [two]" }]);
  const shown: string[] = [];
  page.text.onChange(() => shown.push(page.text.text()));
  other.client.close();
  server.restore();
  server.settle();
  expect(server.text).toBe("[one] text [two]");
  expect(page.text.text()).toBe(server.text);
  expect(page.mirror.text).toBe(server.text);
  expect(shown.filter((text) => text.split("[one]").length > 2)).toEqual([]);
});

test("a page takes a whole copy from a restored server whose version numbers have caught up", () => {
  const server = oneBlockServer("text");
  const page = openPage(server, "ada");
  server.settle();
  page.text.edit([{ from: 0, to: 0, insert: "gone " }]);
  server.settle();
  server.restore();
  const other = openPage(server, "bob");
  server.sockets[0]?.deliverUp();
  for (let round = 0; round < 3; round += 1) exchange(server);
  other.text.edit([{ from: 4, to: 4, insert: " of others" }]);
  exchange(server);
  expect(server.version).toBe(2);
  server.settle();
  expect(page.text.text()).toBe("text of others");
  page.text.edit([{ from: 0, to: 0, insert: "my " }]);
  server.settle();
  expect(server.text).toBe("my text of others");
});

test("a closed page schedules no retry", () => {
  const server = oneBlockServer("text");
  const page = openPage(server, "ada");
  server.settle();
  for (let round = 0; round < 2; round += 1) {
    server.refuseNextPush("RATE_LIMITED");
    page.text.edit([{ from: 0, to: 0, insert: "x" }]);
    exchange(server);
  }
  page.client.close();
  expect(server.passTime()).toBe(false);
});

test("later edits are sent although a restored server lost the undo they waited for", async () => {
  const server = oneBlockServer("text");
  const page = openPage(server, "ada");
  server.settle();
  page.text.edit([{ from: 0, to: 0, insert: "gone " }]);
  server.settle();
  const undone = page.client.call("block.undo-mine", { blockId: theBlock });
  for (let turn = 0; turn < 8; turn += 1) await Promise.resolve();
  const [socket] = server.sockets;
  while ((socket?.up.length ?? 0) > 0) socket?.deliverUp();
  // The answer arrives and its change never does: the server restarts with an older store.
  socket?.down.splice(0, socket.down.length, ...(socket?.down.filter((frame) => frame.includes('"answer"')) ?? []));
  while ((socket?.down.length ?? 0) > 0) socket?.deliverDown();
  await undone;
  server.restore();
  page.text.edit([{ from: page.text.length, to: page.text.length, insert: " later" }]);
  server.settle();
  expect(server.text).toContain(" later");
  expect(page.text.text()).toBe(server.text);
});

test.each(["history", "log"] as const)(
  "a page keeps what it typed offline when the server has compacted its %s meanwhile",
  (forgotten) => {
    const server = oneBlockServer("The beginning.\n");
    const away = openPage(server, "ada");
    const here = openPage(server, "bob");
    server.settle();
    const before = server.sockets.find((socket) => socket.up.length === 0);
    before?.cut();
    away.text.edit([{ from: 14, to: 14, insert: " Typed while away." }]);
    here.text.edit([{ from: 0, to: 0, insert: "Others went on. " }]);
    while (here.text.unconfirmed.get() > 0) {
      for (const socket of server.sockets.slice(-1)) {
        if (socket.up.length > 0) socket.deliverUp();
        else if (socket.down.length > 0) socket.deliverDown();
      }
    }
    server.forget(forgotten);
    expect(away.text.unconfirmed.get()).toBe(1);
    server.settle();
    expect(server.text).toBe("Others went on. The beginning. Typed while away.\n");
    for (const { text, mirror, client } of [away, here]) {
      expect(text.text()).toBe(server.text);
      expect(mirror.text).toBe(server.text);
      expect(text.unconfirmed.get()).toBe(0);
      expect(text.refused.get()).toBeNull();
      client.close();
    }
  },
);

test("edits made while a push is in flight are sent together in the next one", () => {
  const server = oneBlockServer();
  const page = openPage(server, "ada");
  server.settle();
  const before = server.version;
  for (const letter of "hello") {
    const end = page.text.length;
    page.text.edit([{ from: end, to: end, insert: letter }]);
  }
  expect(page.text.unconfirmed.get()).toBe(5);
  server.settle();
  expect(server.text).toBe("hello");
  expect(server.version - before).toBe(2);
});

test("undo reverts the last edit, even when unsent, and keeps edits made while it is under way", async () => {
  const server = oneBlockServer("text");
  const page = openPage(server, "ada");
  server.settle();
  page.text.edit([{ from: 0, to: 0, insert: "first " }]);
  page.text.edit([{ from: 6, to: 6, insert: "second " }]);
  const undone = page.client.call("block.undo-mine", { blockId: theBlock });
  await Promise.resolve();
  await Promise.resolve();
  page.text.edit([{ from: 13, to: 13, insert: "meanwhile " }]);
  server.settle();
  expect(await undone).toMatchObject({ ok: true });
  server.settle();
  expect(server.text).toBe("first meanwhile text");
  expect(page.text.text()).toBe(server.text);
  expect(page.mirror.text).toBe(server.text);
});

test("edits made during an undo are sent only after the undo's change, even when its answer comes first", async () => {
  const server = oneBlockServer("text", { answersFirst: true });
  const page = openPage(server, "ada");
  server.settle();
  page.text.edit([{ from: 0, to: 0, insert: "gone " }]);
  server.settle();
  const undone = page.client.call("block.undo-mine", { blockId: theBlock });
  for (let turn = 0; turn < 8; turn += 1) await Promise.resolve();
  page.text.edit([{ from: 9, to: 9, insert: " and a long meanwhile" }]);
  const [socket] = server.sockets;
  while ((socket?.up.length ?? 0) > 0) socket?.deliverUp();
  // Everything up to the answer, but not the change after it.
  while ((socket?.down.length ?? 0) > 1) socket?.deliverDown();
  expect(await undone).toMatchObject({ ok: true });
  expect(socket?.up).toEqual([]);
  server.settle();
  expect(server.text).toBe("text and a long meanwhile");
  expect(page.text.text()).toBe(server.text);
});

test("a very long paste is sent in several pushes", () => {
  const server = oneBlockServer("begin end");
  const page = openPage(server, "ada");
  server.settle();
  const pasted = "\u{1f600} a line of text\n".repeat(60_000);
  page.text.edit([{ from: 6, to: 6, insert: pasted }]);
  server.settle();
  expect(server.text).toBe(`begin ${pasted}end`);
  expect(page.text.text()).toBe(server.text);
  expect(page.mirror.text).toBe(server.text);
  expect(page.text.refused.get()).toBeNull();
});

test("a very long edit that is made again on a fresh copy is sent in several pushes", () => {
  const server = oneBlockServer("begin end");
  const page = openPage(server, "ada");
  const other = openPage(server, "bob");
  server.settle();
  other.text.edit([{ from: 0, to: 5, insert: "start" }]);
  server.settle();
  server.restart();
  const pasted = "\u{1f600} a line of text\n".repeat(40_000);
  page.text.edit([{ from: 6, to: 6, insert: pasted }]);
  other.client.close();
  server.restore();
  server.settle();
  expect(page.text.refused.get()).toBeNull();
  expect(server.text).toBe(`begin ${pasted}end`);
  expect(page.text.text()).toBe(server.text);
});

test("two pages with one client id become two replicas, and neither loses an edit", () => {
  const server = oneBlockServer();
  const first = openPage(server, "twin");
  server.settle();
  first.text.edit([{ from: 0, to: 0, insert: "[first]" }]);
  const second = openPage(server, "twin");
  server.settle();
  first.text.edit([{ from: 0, to: 0, insert: "[more]" }]);
  second.text.edit([{ from: 0, to: 0, insert: "[second]" }]);
  server.settle();
  for (const word of ["[first]", "[second]", "[more]"]) expect(server.text.split(word)).toHaveLength(2);
  expect(first.text.text()).toBe(server.text);
  expect(second.text.text()).toBe(server.text);
  expect(first.client.state.get().type).toBe("live");
  expect(second.client.state.get().type).toBe("live");
});

test.each(["reached", "did not reach"])(
  "an edit made between a welcome as another replica and the fresh copy is kept beside a push that %s the server",
  (reached) => {
    const server = oneBlockServer();
    const page = openPage(server, "twin");
    server.settle();
    page.text.edit([{ from: 0, to: 0, insert: "[before]" }]);
    if (reached === "reached") server.sockets[0]?.deliverUp();
    const other = openPage(server, "twin");
    const others = server.sockets[1];
    for (let round = 0; round < 2; round += 1) others?.deliverUp();
    server.passTime();
    const own = server.sockets.find((socket) => socket !== others);
    for (let round = 0; round < 2; round += 1) own?.deliverUp();
    own?.deliverDown();
    expect(page.client.state.get().type).toBe("live");
    page.text.edit([{ from: page.text.length, to: page.text.length, insert: "[meanwhile]" }]);
    server.settle();
    expect(page.text.refused.get()).toBeNull();
    expect(server.text).toBe("[before][meanwhile]");
    expect(page.text.text()).toBe(server.text);
    expect(other.text.text()).toBe(server.text);
  },
);

test.each([
  ["reconnects under the same client id", true],
  ["reconnects as another replica", false],
])("an edit made offline is kept when another page has used its sequence numbers: the page %s", (_how, first) => {
  const server = oneBlockServer("text");
  const page = openPage(server, "twin");
  server.settle();
  const [own] = server.sockets;
  page.text.edit([{ from: 0, to: 0, insert: "[mine] " }]);
  // Either this page is disconnected, or the other page ends its connection before the push is read.
  if (first) own?.cut();
  const other = openPage(server, "twin");
  const others = server.sockets.at(-1);
  const exchangeOthers = (): void => {
    for (let round = 0; round < 8; round += 1) {
      others?.deliverUp();
      while ((others?.down.length ?? 0) > 0) others?.deliverDown();
    }
  };
  exchangeOthers();
  other.text.edit([{ from: 0, to: 0, insert: "[others, longer] " }]);
  exchangeOthers();
  expect(server.text).toBe("[others, longer] text");
  server.settle();
  for (const word of ["[mine]", "[others, longer]"]) expect(server.text.split(word)).toHaveLength(2);
  expect(page.text.text()).toBe(server.text);
  expect(other.text.text()).toBe(server.text);
  expect(page.text.refused.get()).toBeNull();
});

test("a text opened again shows what a refusal gave up after it was closed", () => {
  const server = oneBlockServer("text");
  const page = openPage(server, "ada");
  server.settle();
  server.refuseNextPush("CANVAS_LEASED");
  page.text.edit([{ from: 0, to: 0, insert: "Last words. " }]);
  page.text.close();
  server.settle();
  const again = page.client.openText(theBlock);
  server.settle();
  expect(again.refused.get()).toMatchObject({ details: { lostText: "Last words. " } });
  again.dismissRefusal();
  again.close();
  server.settle();
  const fresh = page.client.openText(theBlock);
  expect(fresh).not.toBe(again);
});

test("a closed text still sends its last edits", () => {
  const server = oneBlockServer();
  const page = openPage(server, "ada");
  server.settle();
  type(page, seededRandom(1), "last words");
  page.text.close();
  server.settle();
  expect(server.text).toBe("last words");
});

test("blame names the author of each part on every page", () => {
  const server = oneBlockServer();
  const ada = openPage(server, "ada");
  const bob = openPage(server, "bob");
  server.settle();
  ada.text.edit([{ from: 0, to: 0, insert: "by ada " }]);
  server.settle();
  bob.text.edit([{ from: 7, to: 7, insert: "by bob" }]);
  server.settle();
  const names = bob.text.blame(0, bob.text.length).map(({ id }) => bob.text.actorOf(id.replica)?.name);
  expect(names).toEqual(["page-ada--------", "page-bob--------"]);
});
