import { heddleWire } from "./wire-heddle.ts";
import { yjsWire } from "./wire-yjs.ts";
import type { Wire } from "./wire.ts";

/** The servers that the bench knows: the serving module, and its clients' wire. */
export const servers: Readonly<Record<string, { readonly module: string; readonly wire: Wire }>> = {
  ws: { module: "./serve-ws.ts", wire: yjsWire("bare") },
  "ws, on disk": { module: "./serve-ws-on-disk.ts", wire: yjsWire("bare") },
  heddle: { module: "./serve-heddle.ts", wire: heddleWire },
  "y-websocket": { module: "./serve-y-websocket.ts", wire: yjsWire("y-websocket") },
  hocuspocus: { module: "./serve-hocuspocus.ts", wire: yjsWire("hocuspocus") },
};
