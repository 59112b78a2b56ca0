import { createRequire } from "node:module";
import { fileURLToPath } from "node:url";
import { clientFrame } from "./thin-socket.ts";
import type { Joining, JoinOptions, Wire, Writer } from "./wire.ts";

/** The parts of yjs and lib0 that thin clients need; the packages are peers and have no types here. */
interface Yjs {
  Doc: new () => YDoc;
  decodeUpdate(update: Uint8Array): { readonly structs: readonly { readonly id: { client: number; clock: number } }[] };
}
interface YDoc {
  clientID: number;
  getText(name: string): { insert(at: number, text: string): void; readonly length: number };
  on(event: "update", listener: (update: Uint8Array) => void): void;
}
interface Encoding {
  createEncoder(): object;
  writeVarUint(encoder: object, value: number): void;
  writeVarString(encoder: object, value: string): void;
  writeVarUint8Array(encoder: object, value: Uint8Array): void;
  toUint8Array(encoder: object): Uint8Array;
}
interface Decoding {
  createDecoder(bytes: Uint8Array): object;
  readVarUint(decoder: object): number;
  readVarString(decoder: object): string;
  readVarUint8Array(decoder: object): Uint8Array;
}

const require = createRequire(fileURLToPath(new URL("../peers/package.json", import.meta.url)));
const yjs = require("yjs") as Yjs;
const encoding = require("lib0/encoding") as Encoding;
const decoding = require("lib0/decoding") as Decoding;

/** The frame around an update on the wire: none, y-websocket's, or Hocuspocus's with the document's name. */
type Frame = "bare" | "y-websocket" | "hocuspocus";

export function yjsWire(frame: Frame): Wire {
  return {
    path: (room) => (frame === "hocuspocus" ? "/" : `/${room}`),
    join: (options) => new YjsClient(options, frame),
  };
}

const sync = 0;
const auth = 2;
const step1 = 0;
const step2 = 1;
const update = 2;

class YjsClient implements Joining {
  readonly opening: readonly Buffer[];
  readonly #room: string;
  readonly #client: number;
  readonly #frame: Frame;

  constructor({ room, client }: JoinOptions, frame: Frame) {
    this.#room = room;
    this.#client = client;
    this.#frame = frame;
    this.opening = frame === "bare" ? [] : this.#opening();
  }

  #opening(): readonly Buffer[] {
    const hello = this.#encode(sync, (encoder) => {
      encoding.writeVarUint(encoder, step1);
      encoding.writeVarUint8Array(encoder, new Uint8Array([0]));
    });
    if (this.#frame !== "hocuspocus") return [hello];
    const token = this.#encode(auth, (encoder) => {
      encoding.writeVarUint(encoder, 0);
      encoding.writeVarString(encoder, "bench");
    });
    return [token, hello];
  }

  joined(frame: Buffer): boolean {
    return this.#frame === "bare" || this.#read(frame)?.kind === step2;
  }

  writer(): Writer {
    const doc = new yjs.Doc();
    doc.clientID = 1_000 + this.#client;
    const text = doc.getText("text");
    let made = new Uint8Array();
    doc.on("update", (bytes) => {
      made = new Uint8Array(bytes);
    });
    let clock = 0;
    return {
      next: (letters) => {
        text.insert(text.length, letters);
        const mark = `${doc.clientID}/${clock}`;
        clock += letters.length;
        const bytes = made;
        if (this.#frame === "bare") return { frame: clientFrame(Buffer.from(bytes), 2), mark };
        const frame = this.#encode(sync, (encoder) => {
          encoding.writeVarUint(encoder, update);
          encoding.writeVarUint8Array(encoder, bytes);
        });
        return { frame, mark };
      },
      // An update refers to its neighbours by its own ids: it is the same whatever others wrote.
      hear: () => {},
    };
  }

  delivered(frame: Buffer): readonly string[] {
    const read = this.#frame === "bare" ? { kind: update, bytes: new Uint8Array(frame) } : this.#read(frame);
    if (read === null || (read.kind !== update && read.kind !== step2) || read.bytes.length === 0) return [];
    return yjs.decodeUpdate(read.bytes).structs.map(({ id }) => `${id.client}/${id.clock}`);
  }

  #encode(type: number, write: (encoder: object) => void): Buffer {
    const encoder = encoding.createEncoder();
    if (this.#frame === "hocuspocus") encoding.writeVarString(encoder, this.#room);
    encoding.writeVarUint(encoder, type);
    write(encoder);
    return clientFrame(Buffer.from(encoding.toUint8Array(encoder)), 2);
  }

  #read(frame: Buffer): { readonly kind: number; readonly bytes: Uint8Array } | null {
    const decoder = decoding.createDecoder(new Uint8Array(frame));
    if (this.#frame === "hocuspocus") decoding.readVarString(decoder);
    const type = decoding.readVarUint(decoder);
    // Hocuspocus answers a late step with its own message type.
    if (type !== sync && type !== 4) return null;
    const kind = decoding.readVarUint(decoder);
    return { kind, bytes: decoding.readVarUint8Array(decoder) };
  }
}
