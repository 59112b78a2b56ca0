import { must } from "../../src/core/base/assert.ts";
import { seededRandom } from "../../src/testing/seeded-random.ts";
import type { Listening } from "./child.ts";
import { ThinSocket } from "./thin-socket.ts";
import type { Joining, Writer } from "./wire.ts";
import { servers } from "./wires.ts";
import type { Workload } from "./workload.ts";

// One process with all clients of a load. Two of them, in the first and the last room, time every update they get.

/** The input of the load process. */
export interface LoadOptions {
  readonly server: string;
  readonly listening: Listening;
  readonly workload: Workload;
  readonly seconds: number;
  /** Additional clients in the first room that request everything and read nothing. */
  readonly stalled: number;
  /** The number of its first client: the server knows the clients of an earlier load. */
  readonly firstClient: number;
}

/** The results. Latencies in milliseconds, from the writing of an update to its arrival at the other end. */
export interface LoadResult {
  readonly updates: number;
  readonly deliveries: number;
  /** Of the updates that the probes should have received. */
  readonly arrived: number;
  readonly p50: number;
  readonly p99: number;
  /** All latencies, sorted. */
  readonly tookMs: readonly number[];
  /** Of the clients that read nothing, how many the server had disconnected by the end. */
  readonly cutOff: number;
}

interface Client {
  readonly socket: ThinSocket;
  readonly joining: Joining;
}

const options = JSON.parse(must(process.argv[2], "options")) as LoadOptions;
const { workload, listening, seconds } = options;
const { wire } = must(servers[options.server], "a known server");
/** How long a stalled client may take to read the rest of what it was sent. */
const cutOffMs = 3_000;
const perRoom = workload.writersPerRoom + workload.viewersPerRoom;
const sentAt = new Map<string, number>();
const tookMs: number[] = [];
/** First updates that no probe has heard of yet. */
const unheard = new Set<string>();
let awaited = 0;

const writers: { readonly socket: ThinSocket; readonly writer: Writer; readonly room: number }[] = [];
const sockets: ThinSocket[] = [];
const stalledSockets: ThinSocket[] = [];
for (const [index, room] of listening.rooms.entries()) {
  for (let client = 0; client < perRoom; client += 1) {
    const isWriter = client < workload.writersPerRoom;
    // The last viewer of the first room and of the last one.
    const isProbe = client === perRoom - 1 && (index === 0 || index === listening.rooms.length - 1);
    const joined = await join(room, options.firstClient + index * perRoom + client, { isWriter, isProbe });
    sockets.push(joined.socket);
    if (isWriter) writers.push({ socket: joined.socket, writer: must(joined.writer, "a writer"), room: index });
  }
}
for (let stalled = 0; stalled < options.stalled; stalled += 1) {
  const room = must(listening.rooms[0], "a room");
  const client = options.firstClient + listening.rooms.length * perRoom + stalled;
  const { socket } = await join(room, client, { isWriter: false, isProbe: false });
  socket.pause();
  stalledSockets.push(socket);
}
const letters = "abcdefghijklmnopqrst".repeat(workload.lettersPerUpdate / 20 + 1).slice(0, workload.lettersPerUpdate);
process.on("message", () => void type());
process.on("disconnect", () => process.exit(0));
await typeOnce();
process.send?.("ready");

async function join(
  room: string,
  client: number,
  { isWriter, isProbe }: { readonly isWriter: boolean; readonly isProbe: boolean },
): Promise<Pick<Client, "socket"> & { readonly writer: Writer | null }> {
  const joining = wire.join({ listening, room, client });
  let writer: Writer | null = null;
  const isIn = Promise.withResolvers<void>();
  let inRoom = joining.opening.length === 0;
  const socket = await ThinSocket.open({ port: listening.port, path: wire.path(room) }, (frame) => {
    if (!inRoom) {
      inRoom = joining.joined(frame);
      if (inRoom) isIn.resolve();
      return;
    }
    writer?.hear(frame);
    if (isProbe) for (const mark of joining.delivered(frame)) arrived(mark);
  });
  for (const frame of joining.opening) socket.send(frame);
  if (inRoom) isIn.resolve();
  await isIn.promise;
  if (isWriter) writer = joining.writer();
  else if (!isProbe) socket.ignore();
  return { socket, writer };
}

function arrived(mark: string): void {
  unheard.delete(mark);
  const at = sentAt.get(mark);
  if (at === undefined) return;
  tookMs.push(performance.now() - at);
}

/** Sends a writer's next update; returns its mark where a probe hears it. */
function send({ socket, writer, room }: (typeof writers)[number]): string | null {
  const { frame, mark } = writer.next(letters);
  socket.send(frame);
  return room === 0 || room === listening.rooms.length - 1 ? mark : null;
}

/**
 * Everybody types once before the measurement. Whoever merges for the first time reads the document's history: a page does so once,
 * but here all pages share one thread, and would keep each other waiting.
 */
async function typeOnce(): Promise<void> {
  for (const each of writers) {
    const mark = send(each);
    if (mark !== null) unheard.add(mark);
  }
  for (let waited = 0; unheard.size > 0 && waited < 200; waited += 1) {
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
}

/**
 * When each client types: at the workload's rate, once in each of its intervals, at an instant independent of the
 * others: people do not take turns. The same in every run.
 */
function keystrokes(perWriter: number): readonly { readonly atMs: number; readonly writer: number }[] {
  const everyMs = 1_000 / workload.updatesPerSecond;
  const random = seededRandom(1);
  return Array.from({ length: perWriter * writers.length }, (_, index) => ({
    atMs: (Math.floor(index / writers.length) + random.below(1_000) / 1_000) * everyMs,
    writer: index % writers.length,
  })).toSorted((a, b) => a.atMs - b.atMs);
}

/** Writes at the workload's rate for the given time, then waits for updates in transit. */
async function type(): Promise<void> {
  const perWriter = Math.round(workload.updatesPerSecond * seconds);
  const probedWriters = listening.rooms.length === 1 ? writers.length : 2 * workload.writersPerRoom;
  awaited = perWriter * probedWriters;
  const keys = keystrokes(perWriter);
  const began = performance.now();
  for (let sent = 0; sent < keys.length;) {
    const nowMs = performance.now() - began;
    for (let key = keys[sent]; key !== undefined && key.atMs <= nowMs; key = keys[sent]) {
      const now = performance.now();
      const mark = send(must(writers[key.writer], "a writer"));
      if (mark !== null) sentAt.set(mark, now);
      sent += 1;
    }
    await new Promise((resolve) => setTimeout(resolve, 1));
  }
  for (let waited = 0; tookMs.length < awaited && waited < 100; waited += 1) {
    await new Promise((resolve) => setTimeout(resolve, 50));
  }
  tookMs.sort((a, b) => a - b);
  const cutOff = await Promise.all(stalledSockets.map((socket) => socket.endsWithin(cutOffMs)));
  process.send?.({
    updates: keys.length,
    deliveries: keys.length * perRoom,
    arrived: tookMs.length / awaited,
    p50: tookMs[Math.floor(tookMs.length * 0.5)] ?? Number.NaN,
    p99: tookMs[Math.floor(tookMs.length * 0.99)] ?? Number.NaN,
    tookMs,
    cutOff: cutOff.filter(Boolean).length,
  } satisfies LoadResult);
}
