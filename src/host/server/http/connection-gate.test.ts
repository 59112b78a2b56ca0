import { EventEmitter } from "node:events";
import { beforeEach, describe, expect, test } from "vitest";
import { simulatedClock, type SimulatedClock } from "../../../testing/simulated-clock.ts";
import { ConnectionGate, type GateSocket } from "./connection-gate.ts";
import { serverLimits } from "./server-limits.ts";

/** What the gate sees of a socket. */
class FakeSocket extends EventEmitter implements GateSocket {
  destroyed = false;
  isPaused = false;
  bytesWritten = 0;
  writableLength = 0;
  readonly remoteAddress: string;

  constructor(remoteAddress: string) {
    super();
    this.remoteAddress = remoteAddress;
  }

  destroy(): void {
    if (!this.destroyed) queueMicrotask(() => this.emit("close"));
    this.destroyed = true;
  }

  pause(): void {
    this.isPaused = true;
  }

  resume(): void {
    this.isPaused = false;
  }
}

let clock: SimulatedClock;
let http: EventEmitter;
let gate: ConnectionGate;

beforeEach(() => {
  clock = simulatedClock();
  http = new EventEmitter();
  gate = new ConnectionGate(http, clock);
});

function connected(address = "10.0.0.1"): FakeSocket {
  const socket = new FakeSocket(address);
  http.emit("connection", socket);
  return socket;
}

/** Begins a request; `end` is its answer's. */
function asked(socket: FakeSocket, isKnown = false) {
  const response = new EventEmitter();
  const given = gate.begin(socket, response, isKnown);
  return { given, end: () => void response.emit("close") };
}

describe("ConnectionGate", () => {
  test("a second request before the first is answered ends the connection", () => {
    const socket = connected();
    const first = asked(socket);
    expect(first.given).toEqual({ type: "begin", waitMs: 0 });
    first.end();
    expect(asked(socket).given).toEqual({ type: "begin", waitMs: 0 });
    expect(asked(socket).given).toBeNull();
    expect(socket.destroyed).toBe(true);
  });

  test("16.9 a connection that no longer speaks HTTP keeps nothing of the gate", () => {
    const page = connected();
    const other = connected();
    expect([gate.size, page.listenerCount("close")]).toEqual([3, 1]);
    gate.release(page);
    expect([gate.size, page.listenerCount("close")]).toEqual([2, 0]);
    other.emit("close");
    expect(gate.size).toBe(1);
  });

  test("strangers beyond the number of an address replace its oldest silent one, and never one that is let in", () => {
    const known = connected();
    asked(known, true).end();
    const working = connected();
    asked(working);
    const silent = connected();
    for (let each = 2; each < serverLimits.strangersOfAddressMax; each += 1) connected();
    expect([known.destroyed, working.destroyed, silent.destroyed]).toEqual([false, false, false]);
    connected();
    expect([known.destroyed, working.destroyed, silent.destroyed]).toEqual([false, false, true]);
  });

  test("strangers beyond the total replace one of the address that has the most", () => {
    const one = connected("10.0.0.200");
    const { strangersMax, strangersOfAddressMax } = serverLimits;
    const many: FakeSocket[] = [];
    for (let each = 1; each < strangersMax; each += 1) many.push(connected(`10.0.0.${each % strangersOfAddressMax}`));
    const further = connected("10.0.0.201");
    expect([one.destroyed, further.destroyed]).toEqual([false, false]);
    expect(many.filter(({ destroyed }) => destroyed)).toHaveLength(1);
  });

  test("a stranger's requests wait beyond the rate of its address, and are refused when they would wait too long", async () => {
    const socket = connected();
    const waits: (number | "refused")[] = [];
    for (let each = 0; each < 1_000; each += 1) {
      const { given, end } = asked(socket);
      if (given !== null) waits.push(given.type === "begin" ? given.waitMs : "refused");
      end();
    }
    expect(waits.slice(0, 500)).toEqual(Array.from({ length: 500 }, () => 0));
    expect(waits.at(700)).toBeGreaterThan(0);
    expect(waits.at(-1)).toBe("refused");
    expect(asked(connected("10.0.0.2")).given).toEqual({ type: "begin", waitMs: 0 });
    expect(asked(connected(), true).given).toEqual({ type: "begin", waitMs: 0 });
    await clock.advance(20_000);
    expect(asked(socket).given).toEqual({ type: "begin", waitMs: 0 });
  });

  test("a further connection of an address beyond its rate is not read at once", async () => {
    for (let each = 0; each < 20; each += 1) {
      const socket = connected();
      asked(socket);
      asked(socket);
    }
    const further = connected();
    expect(further.isPaused).toBe(true);
    expect(connected("10.0.0.2").isPaused).toBe(false);
    await clock.advance(3_000);
    expect(further.isPaused).toBe(false);
  });

  test("50: an answer that nobody reads ends its connection; one that is read slowly does not", async () => {
    const [stuck, slow] = [connected(), connected()];
    for (const socket of [stuck, slow]) {
      asked(socket, true);
      Object.assign(socket, { bytesWritten: 500_000, writableLength: 400_000 });
    }
    for (let second = 0; second <= serverLimits.unreadMs / 1000 + 1; second += 1) {
      await clock.advance(1_000);
      slow.writableLength -= 1_000;
    }
    expect([stuck.destroyed, slow.destroyed]).toEqual([true, false]);
  });

  test("nothing is kept of connections and addresses that are gone", async () => {
    for (let each = 0; each < 10; each += 1) connected(`10.0.0.${each}`).destroy();
    await clock.advance(60_000);
    gate.close();
    expect(clock.timers).toBe(0);
    expect(gate.size).toBe(0);
  });
});
