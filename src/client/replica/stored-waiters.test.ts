import { expect, test } from "vitest";
import type { RootId } from "../../core/base/ids.ts";
import type { UpMessage } from "../../core/protocol/base/messages.ts";
import { connectHeddle } from "../connect.ts";
import type { HeddleClient, TextReplica } from "../base/types.ts";
import { oneBlockServer, theBlock, type OneBlockServer } from "./one-block-server.test-support.ts";

interface Page {
  readonly server: OneBlockServer;
  readonly client: HeddleClient;
  readonly text: TextReplica;
  /** What was sent, in order: words for a push, else the command's text. */
  readonly arrived: string[];
  /** The server's text when each message was sent. */
  readonly read: string[];
  send(words: string): void;
}

const rootId = "root_1" as RootId;

/** A page whose text has come. */
function openPage(): Page {
  const server = oneBlockServer("Begun.");
  const arrived: string[] = [];
  const read: string[] = [];
  const platform = server.platform(() => 0.5);
  const client = connectHeddle({
    url: "http://simulated",
    token: "token",
    clientId: "page-of-messages",
    platform: {
      ...platform,
      openSocket(url, listener) {
        const socket = platform.openSocket(url, listener);
        return {
          close: () => socket.close(),
          send(frame) {
            const message = JSON.parse(frame) as UpMessage;
            if (message.type === "push") arrived.push("push");
            if (message.type === "call" && message.command !== "models.list") arrived.push(shownCall(message));
            if (message.type === "call" && message.command === "message.send") read.push(server.text);
            socket.send(frame);
          },
        };
      },
    },
  });
  const text = client.openText(theBlock);
  server.settle();
  const send = (words: string): void => void client.call("message.send", { rootId, parentNodeId: null, text: words });
  return { server, client, text, arrived, read, send };
}

function shownCall({ command, params }: Extract<UpMessage, { type: "call" }>): string {
  return command === "message.send" ? (params as { readonly text: string }).text : command;
}

function type({ text }: Page, words: string): void {
  text.edit([{ from: 0, to: 0, insert: words }]);
}

/** Delivers what is on its way, once up and once down. */
function deliver({ server }: Page): void {
  const [socket] = server.sockets;
  for (let frames = socket?.up.length ?? 0; frames > 0; frames -= 1) socket?.deliverUp();
  for (let frames = socket?.down.length ?? 0; frames > 0; frames -= 1) socket?.deliverDown();
}

test("a message waits for the answer to the edits before it, and later commands of runs stay behind it", () => {
  const page = openPage();
  page.send("nothing before me");
  expect(page.arrived).toEqual(["nothing before me"]);
  type(page, "one ");
  type(page, "two ");
  page.send("after two");
  void page.client.call("conversation.rename", { rootId, title: "Talk" });
  void page.client.call("canvas.create", { title: "Beside" });
  type(page, "three ");
  expect(page.arrived.slice(1)).toEqual(["push", "canvas.create"]);
  deliver(page);
  // The answer to the first push sends the second, which "two" is in.
  expect(page.arrived.slice(3)).toEqual(["push"]);
  deliver(page);
  expect(page.arrived.slice(4)).toEqual(["after two", "conversation.rename"]);
  page.client.close();
});

test("a message sent while offline goes after the edits made before it, and once", () => {
  const page = openPage();
  page.server.sockets[0]?.cut();
  type(page, "offline ");
  page.send("read what I wrote");
  expect(page.client.state.get()).toMatchObject({ unsent: 2 });
  // The history is forgotten meanwhile: the edits wait for a whole copy before they are sent.
  page.server.forget("log");
  page.server.settle();
  expect(page.arrived).toEqual(["push", "read what I wrote"]);
  expect(page.read).toEqual(["offline Begun."]);
  page.client.close();
});

test("a message waits also for edits that are made again on a restored server", () => {
  const page = openPage();
  type(page, "stored ");
  page.server.settle();
  page.server.sockets[0]?.cut();
  type(page, "again ");
  page.send("read it");
  page.server.restore();
  page.server.settle();
  expect(page.read).toEqual([page.server.text]);
  expect(page.server.text).toContain("again ");
  expect(page.arrived.slice(1)).toEqual(["push", "read it"]);
  expect(page.text.unconfirmed.get()).toBe(0);
  page.client.close();
});

test("a message waits for the undo before it", async () => {
  const page = openPage();
  type(page, "wrong ");
  page.server.settle();
  void page.client.call("block.undo-mine", { blockId: theBlock });
  page.send("it is undone");
  for (let turn = 0; turn < 8; turn += 1) await Promise.resolve();
  expect(page.arrived).toEqual(["push", "block.undo-mine"]);
  page.server.settle();
  for (let turn = 0; turn < 8; turn += 1) await Promise.resolve();
  expect(page.arrived).toEqual(["push", "block.undo-mine", "it is undone"]);
  expect(page.server.text).toBe("Begun.");
  page.client.close();
});

test("a message does not wait for edits that the person was told cannot be stored now", () => {
  const page = openPage();
  page.server.refuseNextPush("IN_TRASH");
  type(page, "kept ");
  page.send("what is left");
  expect(page.arrived).toEqual(["push"]);
  deliver(page);
  expect(page.text.refused.get()?.code).toBe("IN_TRASH");
  expect(page.arrived).toEqual(["push", "what is left"]);
  page.client.close();
});

test("a message that still waits is refused when the page closes", async () => {
  const page = openPage();
  type(page, "late ");
  const sent = page.client.call("message.send", { rootId, parentNodeId: null, text: "too late" });
  page.client.close();
  expect(await sent).toMatchObject({ ok: false, error: { code: "SHUTTING_DOWN" } });
  expect(page.arrived).toEqual(["push"]);
});
