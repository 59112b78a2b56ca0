import type { ServerResponse } from "node:http";
import { setImmediate as nextTick } from "node:timers/promises";
import type { SseEvent } from "../../adapters/providers/shared/sse.ts";
import type { StreamPart } from "../../core/model/stream-part.ts";
import type { Fault } from "./faults.ts";
import type { Wire } from "./wires.ts";

/** A reply to send, and its fault. */
export interface SentReply {
  readonly parts: AsyncIterable<StreamPart>;
  readonly fault: Fault | null;
  readonly outgoing: ServerResponse;
  readonly sleep: (delayMs: number) => Promise<void>;
  /** Ends the connection below TLS, without closing TLS. */
  readonly cut: () => void;
}

/** Sends a reply event by event. */
export async function streamReply(wire: Wire, reply: SentReply): Promise<void> {
  const { fault, outgoing } = reply;
  const type = fault?.type === "content-type" ? fault.value : "text/event-stream; charset=utf-8";
  outgoing.writeHead(200, { "content-type": type, "cache-control": "no-cache" });
  outgoing.flushHeaders();
  if (fault?.type === "long-line") await write(outgoing, Buffer.from(`data: {"pad":"${"x".repeat(fault.bytes)}"}\n\n`));
  const events = misplaced(written(reply.parts, wire), fault);
  let sent = 0;
  for await (const event of events) {
    if (outgoing.destroyed) return;
    if (isCutOff(fault) && sent >= fault.events) return breakOff(wire, reply, fault);
    if (fault?.type === "no-end" && wire.isLast(event)) continue;
    const bytes = eventBytes(event, fault?.type === "crlf" || (fault?.type === "split" && fault.crlf === true));
    if (fault?.type === "half-event" && wire.isLast(event)) {
      await write(outgoing, bytes.subarray(0, bytes.length >> 1));
      break;
    }
    await writeSlowly(reply, bytes);
    sent += 1;
  }
  outgoing.end();
}

/** Sends a reply as one body. */
export async function sendWhole(wire: Wire, reply: SentReply): Promise<void> {
  const { fault, outgoing } = reply;
  const all: StreamPart[] = [];
  for await (const part of reply.parts) all.push(part);
  const body = Buffer.from(
    fault?.type === "overloaded-event" ? JSON.stringify(wire.body([overloaded])) : JSON.stringify(wire.body(all)),
  );
  const type = fault?.type === "content-type" ? fault.value : "application/json";
  outgoing.writeHead(200, { "content-type": type });
  if (fault?.type === "error-event") {
    outgoing.end(fault.data);
    return;
  }
  const cuts = fault?.type === "half-event" || fault?.type === "no-end" || isCutOff(fault);
  if (cuts && fault.type !== "overloaded-event") {
    await write(outgoing, body.subarray(0, body.length >> 1));
    if (isCutOff(fault)) return breakOff(wire, reply, fault);
  } else {
    await writeSlowly(reply, body);
  }
  outgoing.end();
}

const overloaded: StreamPart = {
  type: "failed",
  failure: { class: "overloaded", message: "Overloaded", retryable: true },
};

type CutOff = Extract<Fault, { readonly events: number }>;

function isCutOff(fault: Fault | null): fault is CutOff {
  return fault !== null && "events" in fault;
}

async function breakOff(wire: Wire, { outgoing, cut }: SentReply, fault: CutOff): Promise<void> {
  switch (fault.type) {
    case "error-event":
      await write(outgoing, eventBytes(fault.name === undefined ? fault : { ...fault, event: fault.name }, false));
      outgoing.end();
      return;
    case "overloaded-event":
      for (const event of wire.writer()(overloaded)) await write(outgoing, eventBytes(event, false));
      outgoing.end();
      return;
    case "half-stream":
      outgoing.end();
      return;
    case "reset":
      outgoing.socket?.resetAndDestroy();
      return;
    case "tls-cut":
      cut();
      return;
    case "stall":
      return;
  }
}

async function* written(parts: AsyncIterable<StreamPart>, wire: Wire): AsyncGenerator<SseEvent, void, undefined> {
  const writePart = wire.writer();
  for await (const part of parts) yield* writePart(part);
}

async function* misplaced(
  events: AsyncIterable<SseEvent>,
  fault: Fault | null,
): AsyncGenerator<SseEvent, void, undefined> {
  let at = 0;
  let late: SseEvent | undefined;
  for await (const event of events) {
    if (fault?.type === "reorder" && at === fault.at) {
      late = event;
    } else {
      yield event;
      if (late !== undefined) yield late;
      late = undefined;
      if (fault?.type === "duplicate" && at === fault.at) yield event;
    }
    at += 1;
  }
  if (late !== undefined) yield late;
}

function eventBytes(event: SseEvent, crlf: boolean): Buffer {
  const end = crlf ? "\r\n" : "\n";
  const name = event.event === undefined ? "" : `event: ${event.event}${end}`;
  return Buffer.from(`${name}data: ${event.data}${end}${end}`, "utf8");
}

async function writeSlowly({ outgoing, fault, sleep }: SentReply, bytes: Buffer): Promise<void> {
  const isSlow = fault?.type === "split" || fault?.type === "drip";
  const step = isSlow ? fault.bytes : bytes.length;
  for (let at = 0; at < bytes.length; at += step) {
    if (outgoing.destroyed) return;
    await write(outgoing, bytes.subarray(at, at + step));
    // The wait sends each write in its own packet.
    if (fault?.type === "drip") await sleep(fault.everyMs);
    else if (isSlow) await nextTick();
  }
}

function write(outgoing: ServerResponse, bytes: Uint8Array): Promise<void> {
  return new Promise((resolve) => {
    if (outgoing.destroyed) resolve();
    else outgoing.write(bytes, () => resolve());
  });
}
