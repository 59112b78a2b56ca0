import type { Page } from "playwright-core";
import { refusal } from "../../src/core/base/errors.ts";

interface UpFrame {
  readonly type: string;
  readonly command?: string;
  readonly requestId?: string;
}

/** Delays some of the messages that a page sends; call it before the page is opened. */
export async function holdFrames(page: Page, isHeld: (message: UpFrame) => boolean) {
  let held: { readonly refuse: () => void; readonly deliver: () => void }[] = [];
  let isOver = false;
  let garble = (): void => {};
  await page.routeWebSocket(/\/ws$/, (client) => {
    const server = client.connectToServer();
    garble = () => client.send("no frame of this release");
    client.onMessage((frame) => {
      const message = JSON.parse(String(frame)) as UpFrame;
      if (isOver || !isHeld(message)) return server.send(frame);
      const refused = { type: "refused", requestId: message.requestId, refusal: refusal("STORE_FULL") };
      held.push({ refuse: () => client.send(JSON.stringify([refused])), deliver: () => server.send(frame) });
    });
    server.onMessage((frame) => client.send(frame));
  });
  return {
    held: () => held.length,
    refuse(): void {
      for (const { refuse } of held) refuse();
      held = [];
    },
    garble: () => garble(),
    release(): void {
      isOver = true;
      for (const { deliver } of held) deliver();
    },
  };
}
