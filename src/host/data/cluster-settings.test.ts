import { expect, test } from "vitest";
import { readConfiguration } from "./configuration.ts";

const user = { platform: "linux", home: "/home/ada", env: {} };
const node = { "node-address": "10.0.0.5:7421", store: "postgres://db/heddle", "shared-data": "/mnt/heddle" };

function refusedFor(flags: Readonly<Record<string, string>>): string {
  const read = readConfiguration({ flags, user, file: null });
  return read.ok ? "" : read.error.message;
}

test("a node needs a database and a shared folder, and takes no folder of its machine", () => {
  expect(refusedFor(node)).toBe("");
  const { store, "shared-data": shared, ...bare } = node;
  expect(refusedFor({ ...bare, "shared-data": shared })).toContain("Several nodes share one PostgreSQL.");
  expect(refusedFor({ ...bare, store })).toContain("Name it with --shared-data.");
  expect(refusedFor({ ...node, workspace: "/home/ada/work" })).toContain("--workspace is a folder of one machine");
  expect(refusedFor({ "shared-data": shared })).toContain("Add --node-address");
});

test.each(["10.0.0.5", "10.0.0.5:", ":7421", "10.0.0.5:99999", "a b:1", "http://a:1", "a@b:1", "::1:7421"])(
  "%s is no address of a node",
  (address) => {
    expect(refusedFor({ ...node, "node-address": address })).toContain("--node-address");
  },
);

test.each(["1499", "30001", "soon", "-5", "2000.5"])("%s is no time after which another node takes over", (ttl) => {
  expect(refusedFor({ ...node, "node-ttl-ms": ttl })).toContain("--node-ttl-ms");
});

const hints = { nats: "tls://heddle:s3cret@nats.example.lan:4222" };

function natsOf(flags: Readonly<Record<string, string>>): unknown {
  const read = readConfiguration({ flags: { ...node, ...flags }, user, file: null });
  return read.ok ? read.value.cluster?.nats : read.error.message;
}

test("hints go by NATS with credentials of its address or of a file", () => {
  expect(natsOf({})).toBeUndefined();
  const place = { host: "nats.example.lan", port: 4222, isTls: true };
  const credentials = { type: "password", user: "heddle", password: "s3cret" };
  expect(natsOf(hints)).toEqual({ ...place, credentials });
  expect(natsOf({ nats: "nats://t0ken@127.0.0.1:4223" })).toEqual({
    host: "127.0.0.1",
    port: 4223,
    isTls: false,
    credentials: { type: "token", token: "t0ken" },
  });
  expect(natsOf({ nats: "tls://nats.example.lan", "nats-credentials": "/etc/heddle/nats.creds" })).toEqual({
    ...place,
    credentials: { type: "file", path: "/etc/heddle/nats.creds" },
  });
});

test("N-22 NATS without TLS on another machine, without an account or with two is refused", () => {
  expect(natsOf({ nats: "nats://heddle:s3cret@nats.example.lan" })).toContain("use tls:// in --nats");
  expect(natsOf({ nats: "nats://heddle:s3cret@10.0.0.7" })).toContain("use tls:// in --nats");
  expect(natsOf({ nats: "tls://nats.example.lan" })).toContain("NATS needs an account for Heddle alone");
  expect(natsOf({ nats: "nats://localhost" })).toContain("NATS needs an account for Heddle alone");
  expect(natsOf({ ...hints, "nats-credentials": "a.creds" })).toContain("not in both");
  expect(natsOf({ "nats-credentials": "a.creds" })).toContain("add --nats");
  expect(refusedFor(hints)).toContain("Add --node-address, or leave --nats out.");
});

test.each([
  "nats.example.lan:4222",
  "http://heddle:s3cret@nats.example.lan",
  "ws://heddle:s3cret@nats.example.lan",
  "tls://",
  "tls://heddle:s3cret@",
  "tls://heddle:s3cret@nats example",
  "tls://heddle:s3cret@nats.example.lan:99999",
  "tls://heddle:s3cret@nats.example.lan:0",
  "tls://heddle:s3cret@nats.example.lan/path",
  "tls://heddle:s3cret@nats.example.lan?tls=off",
  "tls://heddle:s3cret@a,tls://heddle:s3cret@b",
  "tls://:s3cret@nats.example.lan",
  "tls://heddle:%ff@nats.example.lan",
])("%s is no address of a NATS server, and is not repeated", (nats) => {
  const message = String(natsOf({ nats }));
  expect(message).toContain("--nats is not an address of a NATS server");
  expect(message).not.toContain("s3cret");
});
