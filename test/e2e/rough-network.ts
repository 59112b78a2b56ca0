import type { Page, WebSocketRoute } from "playwright-core";
import type { SeededRandom } from "../../src/testing/seeded-random.ts";

/** A network between a page and the server that delays every frame, in order, and cuts the connection now and then. */
export interface RoughNetwork {
  /** Cuts the open connection and loses the frames in transit. */
  cut(): void;
  /** Stops all delays. */
  calm(): void;
}

/** Call it before the page is opened. */
export async function layRoughNetwork(page: Page, random: SeededRandom): Promise<RoughNetwork> {
  let current: { end(): void } | null = null;
  let isCalm = false;
  const delayMs = (): number => (isCalm ? 0 : random.oneIn(12) ? random.below(400) : random.below(40));
  await page.routeWebSocket(/\/ws$/, (client: WebSocketRoute) => {
    const server = client.connectToServer();
    let open = true;
    const inOrder = (deliver: (frame: string | Buffer) => void): ((frame: string | Buffer) => void) => {
      let last = Promise.resolve();
      return (frame) => {
        const wait = delayMs();
        last = last
          .then(() => new Promise((resolve) => setTimeout(resolve, wait)))
          .then(() => {
            if (open) deliver(frame);
          });
      };
    };
    client.onMessage(inOrder((frame) => server.send(frame)));
    server.onMessage(inOrder((frame) => client.send(frame)));
    current = {
      end() {
        open = false;
        void client.close({ code: 4000, reason: "cut" });
        void server.close({ code: 4000, reason: "cut" });
      },
    };
  });
  return {
    cut: () => current?.end(),
    calm() {
      isCalm = true;
    },
  };
}
