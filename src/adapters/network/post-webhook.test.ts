import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { afterEach, beforeEach, expect, test } from "vitest";
import { webhookSender } from "./post-webhook.ts";
import { isPublicAddress } from "./public-address.ts";
import { NotPublic, publicLookup } from "./public-lookup.ts";

let http: Server;
let host = "";
let received: { url: string; body: string }[] = [];

beforeEach(async () => {
  received = [];
  http = createServer((request, response) => {
    let body = "";
    request.on("data", (chunk) => (body += chunk));
    request.on("end", () => {
      received.push({ url: request.url ?? "", body });
      if (request.url === "/elsewhere") response.writeHead(302, { location: "/" }).end();
      else response.writeHead(204).end();
    });
  });
  await new Promise<void>((resolve) => http.listen(0, "127.0.0.1", resolve));
  host = `127.0.0.1:${(http.address() as AddressInfo).port}`;
});
afterEach(() => new Promise((resolve) => http.close(resolve)));

const never = new AbortController().signal;
const request = (url: string) => ({ url, headers: {}, body: "{}" });

test.each([
  ["8.8.8.8", true],
  ["2606:4700::1111", true],
  ["127.0.0.1", false],
  ["10.1.2.3", false],
  ["172.31.0.1", false],
  ["192.168.0.1", false],
  ["169.254.169.254", false],
  ["100.64.0.1", false],
  ["0.0.0.0", false],
  ["224.0.0.1", false],
  ["255.255.255.255", false],
  ["::1", false],
  ["::", false],
  ["fd00::1", false],
  ["fe80::1", false],
  ["::ffff:8.8.8.8", false],
  ["64:ff9b::a00:1", false],
  ["2002:7f00:1::", false],
  ["2001:db8::1", false],
  ["3fff:fff::1", false],
  ["3ffe::1", true],
  ["example.org", false],
])("%s is a public address: %s", (address, expected) => {
  expect(isPublicAddress(address)).toBe(expected);
});

test.each([
  "http://example.org/",
  "ftp://example.org/",
  "https://user:word@example.org/",
  "https://localhost/",
  "https://127.0.0.1/",
  "https://2130706433/",
  "https://0x7f.1/",
  "https://[::1]/",
  "https://[::ffff:127.0.0.1]/",
  "here",
])("%s is refused before anything connects", async (url) => {
  expect(webhookSender().refusedAddress(url)).not.toBe(null);
  expect(await webhookSender().post(request(url), never)).toMatchObject({ type: "failed", reason: "address" });
});

test("a name that leads inside is refused when the connection is made", async () => {
  const inside = ((_name: string, _options: object, done: (problem: null, addresses: object[]) => void) =>
    done(null, [{ address: "127.0.0.1", family: 4 }])) as never;
  const sender = webhookSender([], inside);
  const url = `https://hooks.example.org:${host.split(":")[1]}/`;
  expect(sender.refusedAddress(url)).toBe(null);
  expect(await sender.post(request(url), never)).toMatchObject({ type: "failed", reason: "address" });
  expect(received).toEqual([]);
});

test("a name is refused when any of its addresses is inside, wherever it is named", async () => {
  const both = ((_name: string, _options: object, done: (problem: null, addresses: object[]) => void) =>
    done(null, [
      { address: "8.8.8.8", family: 4 },
      { address: "127.0.0.1", family: 4 },
    ])) as never;
  const found = await new Promise((resolve) =>
    publicLookup(both)("hooks.example.org", { all: true }, (problem) => resolve(problem)),
  );
  expect(found).toBeInstanceOf(NotPublic);
});

test("a named host is called without TLS, at its port alone, and no redirect is followed", async () => {
  const sender = webhookSender([host]);
  expect(await sender.post(request(`http://${host}/hook`), never)).toEqual({ type: "answered", status: 204 });
  expect(await sender.post(request(`http://${host}/elsewhere`), never)).toEqual({ type: "answered", status: 302 });
  expect(received.map(({ url }) => url)).toEqual(["/hook", "/elsewhere"]);
  expect(sender.refusedAddress("http://127.0.0.1:1/")).not.toBe(null);
});
