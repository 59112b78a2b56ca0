import { hkdfSync } from "node:crypto";
import { once } from "node:events";
import { createSecureServer, type ServerHttp2Session, type ServerHttp2Stream } from "node:http2";
import { createServer, connect, type AddressInfo, type Socket } from "node:net";
import { setTimeout as delay } from "node:timers/promises";
import { expect, test, vi } from "vitest";
import type { NodeRow } from "../../core/cluster/cluster-view.ts";
import type { Clock } from "../../core/port/platform.ts";
import { systemPlatform } from "../../adapters/platform/system-platform.ts";
import { LinkToOwner } from "./link.ts";

const secret = new Uint8Array(32).fill(7);

/** The machine's clock, with timers that go off when the test says so. */
function withHeldTimers(system: Clock): { readonly clock: Clock; goOff(): void } {
  const due = new Set<() => void>();
  return {
    clock: {
      now: () => system.now(),
      monotonic: () => system.monotonic(),
      setTimer(_delayMs, callback) {
        due.add(callback);
        return () => due.delete(callback);
      },
    },
    goOff() {
      const all = [...due];
      due.clear();
      for (const callback of all) callback();
    },
  };
}

test("a link to a node that says goodbye and is stopped before it hangs up is lost, and takes no process along", async () => {
  const key = Buffer.from(hkdfSync("sha256", secret, "", "heddle link 1 to 2", 32));
  const sessions: ServerHttp2Session[] = [];
  const owner = createSecureServer({
    ciphers: "TLS_AES_128_GCM_SHA256:PSK",
    minVersion: "TLSv1.3",
    pskCallback: () => key,
  });
  owner.on("session", (session) => sessions.push(session));
  owner.on("stream", (stream: ServerHttp2Stream) => stream.respond({ ":status": 421 }, { endStream: true }));
  owner.listen(0, "127.0.0.1");
  await once(owner, "listening");
  const sockets: Socket[] = [];
  // Passes on every byte and no end.
  const between = createServer({ allowHalfOpen: true }, (near) => {
    const far = connect({ host: "127.0.0.1", port: (owner.address() as AddressInfo).port, allowHalfOpen: true });
    sockets.push(near, far);
    near.on("error", () => {});
    far.on("error", () => {});
    near.on("data", (data) => far.write(data));
    far.on("data", (data) => near.write(data));
  }).listen(0, "127.0.0.1");
  await once(between, "listening");
  const timers = withHeldTimers(systemPlatform("error", () => {}).clock);
  const row: NodeRow = {
    nodeId: "owner",
    incarnation: 2,
    address: `127.0.0.1:${(between.address() as AddressInfo).port}`,
  } as NodeRow;
  const link = new LinkToOwner(row, { epoch: 1, incarnation: 1, secret, clock: timers.clock });
  const claim = { incarnation: 2, epoch: 1 };
  try {
    await expect(link.open("127.0.0.1")).rejects.toThrow("does not own");
    expect(link.leadsTo(claim)).toBe(true);
    for (const session of sessions) session.goaway();
    for (let tries = 0; link.leadsTo(claim) && tries < 100; tries += 1) await delay(10);
    expect(link.leadsTo(claim)).toBe(false);
    timers.goOff();
    await expect(link.open("127.0.0.1")).rejects.toThrow("the link was lost");
  } finally {
    link.close();
    for (const socket of sockets) socket.destroy();
    between.close();
    owner.close();
  }
});

test("a link that is given up in the moment in which it is connected takes no process along", async () => {
  const owner = createSecureServer({
    ciphers: "TLS_AES_128_GCM_SHA256:PSK",
    minVersion: "TLSv1.3",
    pskCallback: () => Buffer.from(hkdfSync("sha256", secret, "", "heddle link 1 to 2", 32)),
  }).listen(0, "127.0.0.1");
  await once(owner, "listening");
  const { clock } = withHeldTimers(systemPlatform("error", () => {}).clock);
  const row = { nodeId: "owner", incarnation: 2, address: `127.0.0.1:${(owner.address() as AddressInfo).port}` };
  let looks = 0;
  // It asks for the time when it begins, and once it is connected.
  const monotonic = (): number => {
    looks += 1;
    if (looks === 2) link.close();
    return clock.monotonic();
  };
  const asked = { epoch: 1, incarnation: 1, secret, clock: { ...clock, monotonic } };
  const link: LinkToOwner = new LinkToOwner(row as NodeRow, asked);
  try {
    await vi.waitUntil(() => looks === 2, { timeout: 5_000 });
    await delay(20);
    expect(link.leadsTo({ incarnation: 2, epoch: 1 })).toBe(false);
  } finally {
    link.close();
    owner.close();
  }
});
