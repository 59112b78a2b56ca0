import type { IncomingMessage } from "node:http";
import { PassThrough } from "node:stream";
import { describe, expect, test } from "vitest";
import { acceptedCodings } from "./accepted-codings.ts";
import { bracketed, isLoopback, ourAddresses } from "./addresses.ts";
import { readJsonBody } from "./read-body.ts";
import { flag, readQuery, wholeNumber } from "./read-query.ts";
import { serverLimits } from "./server-limits.ts";
import * as v from "valibot";

describe("which codings a reader accepts", () => {
  test.each<readonly [header: string | undefined, expected: readonly string[]]>([
    [undefined, [""]],
    ["gzip, br;q=0.5", ["gzip", "br"]],
    ["gzip;q=0, br; q=0.0, zstd;q=0.01", ["zstd"]],
  ])("%j", (header, expected) => {
    expect([...acceptedCodings({ headers: { "accept-encoding": header } })]).toEqual(expected);
  });
});

describe("which addresses are ours", () => {
  const ours = ourAddresses({ port: 7420, hosts: ["Box.local", "fe80::1"], origins: ["http://dev:5173"] });
  test.each<readonly [host: string | undefined, isOurs: boolean]>([
    ["127.0.0.1:7420", true],
    ["LOCALHOST:7420", true],
    ["[::1]:7420", true],
    ["box.local:7420", true],
    ["[fe80::1]:7420", true],
    ["box.local", false],
    ["localhost:7421", false],
    ["evil.localhost:7420", false],
    [undefined, false],
  ])("host %s: %s", (host, isOurs) => {
    expect(ours.isOurHost(host)).toBe(isOurs);
  });
  test.each<readonly [origin: string | undefined, isOurs: boolean]>([
    [undefined, true],
    ["http://Box.local:7420", true],
    ["http://dev:5173", true],
    ["https://box.local:7420", false],
    ["null", false],
  ])("origin %s: %s", (origin, isOurs) => {
    expect(ours.isOurOrigin(origin)).toBe(isOurs);
  });
  test.each([
    ["localhost", true],
    ["::1", true],
    ["[::1]", true],
    ["127.9.9.9", true],
    ["127.0.0.1.evil", false],
    ["0.0.0.0", false],
  ])("%s is of this machine only: %s", (host, expected) => expect(isLoopback(host)).toBe(expected));
  test("IPv6 is in brackets once", () => {
    expect(["::1", "[::1]", "box"].map(bracketed)).toEqual(["[::1]", "[::1]", "box"]);
  });
});

describe("a request's body", () => {
  const json = { "content-type": "application/json; charset=utf-8" };
  const read = (body: string | Uint8Array, headers: Record<string, string> = json): ReturnType<typeof readJsonBody> => {
    const request = Object.assign(new PassThrough(), { headers });
    request.end(body);
    return readJsonBody(request as unknown as IncomingMessage);
  };
  test.each<readonly [body: string, value: unknown]>([
    ['{"a":1}', { a: 1 }],
    ["", {}],
    ['"text"', "text"],
  ])("%j is read", async (body, value) => {
    expect(await read(body)).toEqual({ ok: true, value });
  });
  test.each<readonly [what: string, body: string | Uint8Array, headers: Record<string, string>, code: string]>([
    ["of no type", "{}", {}, "UNSUPPORTED_MEDIA_TYPE"],
    ["of another type", "{}", { "content-type": "application/jsonx" }, "UNSUPPORTED_MEDIA_TYPE"],
    ["that is compressed", "{}", { ...json, "content-encoding": "gzip" }, "UNSUPPORTED_MEDIA_TYPE"],
    [
      "that says it is too long",
      "{}",
      { ...json, "content-length": String(serverLimits.bodyBytesMax + 1) },
      "FRAME_TOO_LARGE",
    ],
    ["that is too long", `"${"x".repeat(serverLimits.bodyBytesMax)}"`, json, "FRAME_TOO_LARGE"],
    ["that is no JSON", "{", json, "FRAME_MALFORMED"],
    ["that is no UTF-8", Uint8Array.of(0x22, 0xff, 0x22), json, "FRAME_MALFORMED"],
    ["that is a list", "[]", json, "INVALID_PARAMS"],
  ])("%s is refused", async (_what, body, headers, code) => {
    expect(await read(body, headers)).toMatchObject({ ok: false, error: { code } });
  });
  test("of the greatest length is read, and so is one that is not coded", async () => {
    const text = "x".repeat(serverLimits.bodyBytesMax - 2);
    const headers = { ...json, "content-encoding": "identity", "content-length": String(serverLimits.bodyBytesMax) };
    expect((await read(`"${text}"`, headers)).ok).toBe(true);
  });
  test("that breaks off is refused", async () => {
    const request = Object.assign(new PassThrough(), { headers: json });
    const reading = readJsonBody(request as unknown as IncomingMessage);
    request.write("{");
    request.destroy();
    expect(await reading).toMatchObject({ error: { code: "FRAME_MALFORMED", details: { reason: "broken off" } } });
  });
});

describe("a query", () => {
  const schema = v.object({ after: v.optional(wholeNumber(1, 20, "After.")), all: flag("All.") });
  const read = (query: string): unknown => {
    const result = readQuery(new URLSearchParams(query), schema);
    return result.ok ? result.value : result.error.code;
  };
  test.each<readonly [query: string, expected: unknown]>([
    ["", { all: false }],
    ["all=true", { all: true }],
    ["all=1&after=20", { all: true, after: 20 }],
    ["all=0&all=1", { all: false }],
    ["all=false&other=x", { all: false }],
    ["all=yes", "INVALID_PARAMS"],
    ["after=0", "INVALID_PARAMS"],
    ["after=1", { all: false, after: 1 }],
    ["after=21", "INVALID_PARAMS"],
    ["after=1.5", "INVALID_PARAMS"],
  ])("%j", (query, expected) => {
    expect(read(query)).toEqual(expected);
  });
});
