import { createHash } from "node:crypto";
import { afterEach, beforeEach } from "vitest";
import type { HeddleClient } from "../../client/base/types.ts";
import { must } from "../../core/base/assert.ts";
import type { BlockId, RootId } from "../../core/base/ids.ts";
import { accept } from "../../core/base/result.test-support.ts";
import { connectTestClient } from "../../testing/test-client.ts";
import { startTestServer, type TestServer } from "../../testing/test-server.ts";

/** A server with its owner, a canvas "Looms" that says `warp`, and an empty conversation. */
interface OpenedServer {
  readonly server: TestServer;
  readonly owner: HeddleClient;
  readonly canvasId: BlockId;
  readonly rootId: RootId;
}

interface ServerForEachTest {
  /** What was opened for the test that runs. */
  readonly opened: () => OpenedServer;
  /** Closes something after the test, the last first, and before the server. */
  readonly closeAfter: (close: () => unknown) => void;
  /** Makes a token of the owner's for other programs. */
  readonly makeToken: (secret: string, wish?: object) => Promise<string>;
}

/** Opens a server before each test of the file, and closes it after. */
export function serverForEachTest(): ServerForEachTest {
  const closing: (() => unknown)[] = [];
  let current: OpenedServer | null = null;
  const opened = (): OpenedServer => must(current, "a test runs");
  beforeEach(async () => {
    const server = await startTestServer({ welcome: false });
    closing.push(() => server.close());
    const owner = connectTestClient(server, { name: "Ada" });
    closing.push(() => owner.close());
    const { canvasId } = accept(await owner.call("canvas.create", { title: "Looms", text: "warp\n" }));
    const { rootId } = accept(await owner.call("conversation.create", { title: "Talk" }));
    current = { server, owner, canvasId, rootId };
  });
  afterEach(async () => {
    for (const close of closing.splice(0).toReversed()) await close();
  });
  return {
    opened,
    closeAfter: (close) => void closing.push(close),
    makeToken: async (secret, wish = {}) => {
      const hash = createHash("sha256").update(secret).digest("hex");
      const token = { name: secret, hash, rights: ["read", "write"] as const, ...wish };
      return accept(await opened().owner.call("token.create", token)).tokenId;
    },
  };
}
