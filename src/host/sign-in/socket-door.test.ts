import { afterAll, beforeAll, expect, test, vi } from "vitest";
import { WebSocket } from "ws";
import type { PersonId } from "../../core/base/ids.ts";
import { protocolVersion, schemaHash } from "../../core/protocol/version.ts";
import { password, startSignInServer, type Browser, type SignInServer } from "./sign-in.test-support.ts";

let team: SignInServer;
let ada: Browser;
let bob: Browser;

beforeAll(async () => {
  team = await startSignInServer();
  ada = await team.owner();
  const { body } = await ada.post("/auth/people/invite", { email: null, role: "editor" });
  bob = team.browser();
  const secret = String(body["link"]).split("#link=")[1];
  await bob.post("/auth/accept", { secret, name: "Bob", email: "bob@example.org", password });
});
afterAll(() => team.close());

interface Opened {
  /** The status of the upgrade; 101: it is open. */
  readonly status: number;
  readonly frames: readonly string[];
  readonly isOpen: () => boolean;
  send(message: object): void;
}

/** Asks for a WebSocket with these headers, and says hello where it opens. */
async function open(headers: Record<string, string>, hello: object = {}): Promise<Opened> {
  const { origin } = team.signIn.parts;
  const url = `${origin.replace("http://localhost", "ws://127.0.0.1")}/ws`;
  const host = new URL(origin).host;
  const socket = new WebSocket(url, { headers: { host, origin, ...headers }, perMessageDeflate: false });
  const frames: string[] = [];
  socket.on("message", (data: Buffer) => frames.push(data.toString("utf8")));
  socket.on("error", () => undefined);
  const status = await new Promise<number>((resolve) => {
    socket.once("open", () => resolve(101));
    socket.once("unexpected-response", (_request, response) => {
      resolve(response.statusCode ?? 0);
      socket.terminate();
    });
  });
  const send = (message: object): void => socket.send(JSON.stringify(message));
  const clientId = "client-of-both-0123456789";
  if (status === 101) send({ type: "hello", protocol: protocolVersion, schemaHash, token: "", clientId, ...hello });
  return { status, frames, isOpen: () => socket.readyState === WebSocket.OPEN, send };
}

const said = async (opened: Opened, word: string): Promise<void> => {
  await vi.waitUntil(() => opened.frames.some((frame) => frame.includes(word)), { timeout: 5_000 });
};
const cookieOf = (browser: Browser) => ({ cookie: browser.cookie("/ws") });

test("A-37 a valid cookie opens nothing for a page of another origin, and none for a page without one", async () => {
  const { origin } = team.signIn.parts;
  for (const foreign of ["https://evil.example", `${origin}.evil.example`, origin.replace("http:", "https:"), "null"]) {
    expect([foreign, (await open({ ...cookieOf(ada), origin: foreign })).status]).toEqual([foreign, 403]);
  }
  expect((await open({ ...cookieOf(ada), host: "evil.example" })).status).toBe(403);
  expect((await open({ cookie: "heddle=made-up" })).status).toBe(401);
  expect((await open({})).status).toBe(401);
});

test("A-37 a token in the hello opens nothing in a team, and a name in it names nobody", async () => {
  const withToken = await open({}, { token: team.server.token });
  expect(withToken.status).toBe(401);
  const named = await open(cookieOf(bob), { token: team.server.token, name: "Ada" });
  await said(named, "welcome");
  expect(named.frames.join("")).toContain('"name":"Bob"');
  expect(named.frames.join("")).not.toContain('"name":"Ada"');
});

test("A-37 two people with one client id both stay, and their request ids are their own", async () => {
  const both = [await open(cookieOf(ada)), await open(cookieOf(bob))] as const;
  for (const [at, opened] of both.entries()) {
    await said(opened, "welcome");
    const params = { title: `Looms ${at}` };
    opened.send({ type: "call", requestId: "request-of-both", command: "canvas.create", params });
    await said(opened, '"answer"');
  }
  expect(both.map(({ isOpen }) => isOpen())).toEqual([true, true]);
  const ids = both.map(({ frames }) => /"canvasId":"([^"]+)"/u.exec(frames.join(""))?.[1]);
  expect(new Set(ids).size).toBe(2);
});

test("A-37 the cookie of an ended session is refused before the socket opens, and nothing else answers it", async () => {
  const before = cookieOf(bob);
  const live = await open(before);
  await said(live, "welcome");
  const id = (await bob.get("/auth/state")).body.person?.id as PersonId;
  await team.signIn.parts.sessions.end(team.signIn.parts.sessions.of(id));
  await vi.waitUntil(() => !live.isOpen(), { timeout: 1_000 });
  expect((await open(before)).status).toBe(401);
  for (const path of ["/api/roots", "/api/openapi.json", "/metrics", "/mcp", "/auth/people", "/auth/sessions"]) {
    expect([path, (await bob.get(path)).status]).toEqual([path, 401]);
  }
  const commands = ["search.all", "audit.list", "canvas.create", "block.origins"];
  for (const name of commands) {
    expect([name, (await bob.post(`/api/commands/${name}`, {})).status]).toEqual([name, 401]);
  }
});
