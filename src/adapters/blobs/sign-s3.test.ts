import { createHash } from "node:crypto";
import { expect, test } from "vitest";
import { emptyHash, encodedForS3, type S3Request, signedHeaders } from "./sign-s3.ts";

/** The key, place and time of the examples in Amazon's description of Signature Version 4 for S3. */
const credentials = { keyId: "AKIAIOSFODNN7EXAMPLE", secret: "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY" };
const when = { region: "us-east-1", at: Date.UTC(2013, 4, 24) };
const at = (path: string): URL => new URL(`https://examplebucket.s3.amazonaws.com${path}`);
const get = { method: "GET", headers: {}, bodyHash: emptyHash } as const;

test.each<[string, S3Request, string]>([
  [
    "an object",
    { ...get, url: at("/test.txt"), headers: { range: "bytes=0-9" } },
    "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41",
  ],
  [
    "a put of an object whose name is encoded",
    {
      method: "PUT",
      url: at(`/${encodedForS3("test$file.text")}`),
      headers: { date: "Fri, 24 May 2013 00:00:00 GMT", "x-amz-storage-class": "REDUCED_REDUNDANCY" },
      bodyHash: createHash("sha256").update("Welcome to Amazon S3.").digest("hex"),
    },
    "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd",
  ],
  [
    "a parameter without a value",
    { ...get, url: at("/?lifecycle") },
    "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543",
  ],
  [
    "a list",
    { ...get, url: at("/?max-keys=2&prefix=J") },
    "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7",
  ],
])("the published example is signed as published: %s", (_name, request, signature) => {
  expect(signedHeaders(request, credentials, when)["authorization"]).toMatch(new RegExp(`Signature=${signature}$`));
});

test("the signature covers method, path, query, headers, body and time", () => {
  const request: S3Request = { ...get, url: at("/a?b=c"), headers: { "x-amz-checksum-sha256": "x" } };
  const sign = (changed: Partial<S3Request>, time: Partial<typeof when> = {}): string =>
    signedHeaders({ ...request, ...changed }, credentials, { ...when, ...time })["authorization"] ?? "";
  const all = [
    sign({}),
    sign({ method: "DELETE" }),
    sign({ url: at("/b?b=c") }),
    sign({ url: at("/a?b=d") }),
    sign({ headers: { "x-amz-checksum-sha256": "y" } }),
    sign({ bodyHash: createHash("sha256").update("x").digest("hex") }),
    sign({}, { at: when.at + 1_000 }),
    sign({}, { region: "eu-central-1" }),
  ];
  expect(new Set(all.map((header) => header.split("Signature=")[1])).size).toBe(all.length);
});
