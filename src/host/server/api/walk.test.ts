import { expect, test } from "vitest";
import type { UpMessage } from "../../../core/protocol/base/messages.ts";
import { routes } from "./routes.ts";

/** How a program does over HTTP what a page does by each message; leaving out a message does not compile. */
const ways: Record<UpMessage["type"], readonly string[] | "the connection's own" | "seen by pages alone"> = {
  hello: "the connection's own",
  look: "the connection's own",
  ping: "the connection's own",
  "watch-workspace": ["POST /api/commands/:name"],
  "watch-list": ["GET /api/roots", "POST /api/tools/:name"],
  "unwatch-list": "the connection's own",
  "watch-conversation": ["GET /api/roots/:id/events"],
  "unwatch-conversation": "the connection's own",
  "watch-block": ["GET /api/blocks/:id/events"],
  "unwatch-block": "the connection's own",
  push: ["POST /api/tools/:name"],
  presence: "seen by pages alone",
  call: ["POST /api/commands/:name"],
};

test("a program can do over HTTP everything that a page does over its WebSocket", () => {
  const known = new Set(routes.map(({ method, path }) => `${method} ${path}`));
  const named = Object.values(ways).flatMap((way) => (typeof way === "string" ? [] : way));
  expect(named.filter((route) => !known.has(route))).toEqual([]);
});
