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
