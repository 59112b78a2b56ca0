import type { BenchRow } from "../harness/bench.ts";
import { atMost, noGoal } from "../harness/bench.ts";
import { median } from "../harness/interleave.ts";
import { must } from "../../src/core/base/assert.ts";
import { BenchChild, type Listening } from "./child.ts";
import { ThinSocket } from "./thin-socket.ts";
import type { Writer } from "./wire.ts";
import { servers } from "./wires.ts";

// Workload M: idle connections, and documents that were typed and then left.

const idleConnections = 1_000;
const documents = 300;
const updatesPerDocument = 1_000;
const letters = "abcdefghij";
/** A document that nobody watches or uses is released after a minute; the server checks once a minute. */
const evictionMs = 135_000;

/** Heap in KB of each; null if the server never releases it. */
export interface MemorySample {
  readonly perConnection: number;
  readonly perDocument: number;
  readonly perLeftDocument: number | null;
}

/** Runs all of M against one server. Bytes outside the heap (buffers) are not counted, for any server. */
export async function measureMemory(name: string): Promise<MemorySample> {
  const { module } = must(servers[name], "a known server");
  const server = await BenchChild.start<Listening>(module, [String(documents + 1)]);
  try {
    // The first connections and the first document pay for everything created once, and for code that is compiled once.
    for (const socket of await connectIdle(name, server.hello)) socket.close();
    const [first] = await joinDocuments(name, server.hello, { from: documents, count: 1 });
    await typeAll([must(first, "a first document")]);
    const empty = await server.used();
    const idle = await connectIdle(name, server.hello);
    const connected = await server.used();
    for (const socket of idle) socket.close();
    const typists = await joinDocuments(name, server.hello, { from: 0, count: documents });
    const joined = await server.used();
    await typeAll(typists);
    const typed = await server.used();
    for (const { socket } of typists) socket.close();
    let left: number | null = null;
    if (name === "heddle") {
      await new Promise((resolve) => setTimeout(resolve, evictionMs));
      left = (await server.used()).heapBytes;
    }
    return {
      perConnection: (connected.heapBytes - empty.heapBytes) / idleConnections / 1024,
      perDocument: (typed.heapBytes - joined.heapBytes) / documents / 1024,
      perLeftDocument: left === null ? null : Math.max(0, (left - empty.heapBytes) / documents / 1024),
    };
  } finally {
    await server.stop();
  }
}

export function memoryRows(samples: ReadonlyMap<string, readonly MemorySample[]>): readonly BenchRow[] {
  return [...samples].flatMap(([subject, own]) => {
    const row = (work: string, figures: readonly number[], goal: number): BenchRow => {
      const value = median(figures);
      const judged = subject === "heddle" ? atMost(goal, value) : noGoal;
      return { work: `M: ${work}`, subject, value, unit: "KB heap", ratio: null, ...judged };
    };
    const left = own.flatMap(({ perLeftDocument }) => perLeftDocument ?? []);
    return [
      row(
        "idle connection in a room, of 1,000",
        own.map(({ perConnection }) => perConnection),
        4,
      ),
      row(
        "open document of 10 KB typed in 1,000 updates, of 300",
        own.map(({ perDocument }) => perDocument),
        40,
      ),
      ...(left.length === 0 ? [] : [row("the same document when it was left for two minutes", left, 0)]),
    ];
  });
}

async function connectIdle(name: string, listening: Listening): Promise<readonly ThinSocket[]> {
  const sockets: ThinSocket[] = [];
  for (let client = 0; client < idleConnections; client += 1) {
    const { socket } = await enter(name, listening, { room: 0, client });
    socket.ignore();
    sockets.push(socket);
  }
  return sockets;
}

interface Typist {
  readonly socket: ThinSocket;
  readonly writer: Writer;
  readonly heard: () => number;
}

async function joinDocuments(
  name: string,
  listening: Listening,
  { from, count }: { readonly from: number; readonly count: number },
): Promise<readonly Typist[]> {
  const typists: Typist[] = [];
  for (let room = from; room < from + count; room += 1) {
    const { socket, writer, heard } = await enter(name, listening, { room, client: idleConnections + room });
    typists.push({ socket, writer: writer(), heard });
  }
  return typists;
}

/** Waits until every client has received every update of its own. */
async function typeAll(typists: readonly Typist[]): Promise<void> {
  for (let sent = 0; sent < updatesPerDocument; sent += 1) {
    for (const { socket, writer } of typists) socket.send(writer.next(letters).frame);
    while (typists.some(({ heard }) => heard() < sent - 50)) await new Promise((resolve) => setTimeout(resolve, 1));
  }
  while (typists.some(({ heard }) => heard() < updatesPerDocument)) {
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
}

async function enter(
  name: string,
  listening: Listening,
  who: { readonly room: number; readonly client: number },
): Promise<{ readonly socket: ThinSocket; readonly writer: () => Writer; readonly heard: () => number }> {
  const { wire } = must(servers[name], "a known server");
  const room = must(listening.rooms[who.room], "a room");
  const joining = wire.join({ listening, room, client: who.client });
  const isIn = Promise.withResolvers<void>();
  let inRoom = joining.opening.length === 0;
  let heard = 0;
  const socket = await ThinSocket.open({ port: listening.port, path: wire.path(room) }, (frame) => {
    if (inRoom) heard += joining.delivered(frame).length;
    else if (joining.joined(frame)) {
      inRoom = true;
      isIn.resolve();
    }
  });
  for (const frame of joining.opening) socket.send(frame);
  if (!inRoom) await isIn.promise;
  return { socket, writer: () => joining.writer(), heard: () => heard };
}
