import type { lookup } from "node:dns";
import type { IncomingMessage, ServerResponse } from "node:http";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { ReadClientDocument } from "../../core/port/oauth.ts";
import { clientDocuments } from "./get-client-document.ts";
import { startTlsServer, testCertificate } from "./tls-server.test-support.ts";

const document = { client_id: "https://loom.example/client.json", client_name: "Loom" };
const seen: (string | undefined)[] = [];
const answers: Readonly<Record<string, (request: IncomingMessage, response: ServerResponse) => void>> = {
  "/client.json": (_, response) => sendJson(response, document),
  "/other-type": (_, response) => response.writeHead(200, { "content-type": "text/html" }).end("{}"),
  "/no-json": (_, response) => sendJson(response, undefined, "{"),
  "/a-list": (_, response) => sendJson(response, [document]),
  "/missing": (_, response) => response.writeHead(404).end(),
  "/broken": (_, response) => response.writeHead(503).end(),
  "/elsewhere": (_, response) => response.writeHead(302, { location: "/client.json" }).end(),
  "/large": (_, response) => sendJson(response, { ...document, words: "x".repeat(6 * 1024) }),
  "/slow": (_, response) => {
    response.writeHead(200, { "content-type": "application/json" });
    response.write("{");
  },
};
let host: string;
let close: () => void;
let read: ReadClientDocument;
let at: (path: string) => string;

beforeAll(async () => {
  const { server, host: own } = await startTlsServer((request, response) => {
    seen.push(request.headers.cookie, request.headers.authorization);
    answers[request.url ?? ""]?.(request, response);
  });
  host = own;
  close = () => {
    server.closeAllConnections();
    server.close();
  };
  read = clientDocuments({ namedHosts: [host], ca: testCertificate });
  at = (path) => `https://${host}${path}`;
});
afterAll(() => close());

function sendJson(response: ServerResponse, value: unknown, text = JSON.stringify(value)): void {
  response.writeHead(200, { "content-type": "application/json" }).end(text);
}

test("reads what a program says of itself, and sends nothing that says who asks", async () => {
  expect(await read(at("/client.json"))).toEqual({ type: "read", value: document });
  expect(seen.every((header) => header === undefined)).toBe(true);
});

test.each([
  ["/other-type", "it is no JSON"],
  ["/no-json", "it is no JSON object"],
  ["/a-list", "it is no JSON object"],
  ["/missing", "its server answered 404"],
  ["/elsewhere", "its server answered 302"],
  ["/large", "it is larger than 5 kB"],
])("A-39 what is at %s is refused", async (path, why) => {
  expect(await read(at(path))).toEqual({ type: "refused", why });
});

test("A-39 what comes too slowly, or not at all, is not waited for", async () => {
  const from = performance.now();
  expect(await read(at("/slow"))).toEqual({ type: "unreachable" });
  expect(performance.now() - from).toBeLessThan(8_000);
  expect(await read(at("/broken"))).toEqual({ type: "unreachable" });
  // Nobody who signs for the address is known.
  expect(await clientDocuments({ namedHosts: [host] })(at("/client.json"))).toEqual({ type: "unreachable" });
}, 15_000);

test.each([
  ["http://loom.example/client.json", "it is no https address"],
  ["https://user:word@loom.example/client.json", "it is no https address"],
  ["nonsense", "it is no https address"],
  ["https://localhost/client.json", "it is no public address"],
  ["https://127.0.0.1/client.json", "it is no public address"],
  ["https://2130706433/client.json", "it is no public address"],
  ["https://[::ffff:a9fe:a9fe]/client.json", "it is no public address"],
  ["https://169.254.169.254/client.json", "it is no public address"],
])("A-39 nothing is sent to %s", async (address, why) => {
  expect(await clientDocuments()(address)).toEqual({ type: "refused", why });
});

test("A-39 a public name that leads inside opens nothing", async () => {
  const inside = ((_name: string, _options: object, done: (...answer: unknown[]) => void) =>
    done(null, [{ address: "127.0.0.1", family: 4 }])) as unknown as typeof lookup;
  const before = seen.length;
  const { port } = new URL(at("/"));
  const found = await clientDocuments({ resolve: inside, ca: testCertificate })(
    `https://loom.example:${port}/client.json`,
  );
  expect(found).toEqual({ type: "refused", why: "loom.example leads to an address that is not public." });
  expect(seen).toHaveLength(before);
});
