import { expect, test } from "vitest";
import { readConfiguration } from "./configuration.ts";

const key = { HEDDLE_S3_KEY_ID: "AKIDEXAMPLE", HEDDLE_S3_SECRET: "a-secret" };

function read(env: Readonly<Record<string, string>>, blobs = "s3://pictures/heddle") {
  return readConfiguration({ flags: { blobs }, user: { platform: "linux", home: "/home/ada", env }, file: null });
}

function refusedFor(...given: Parameters<typeof read>): string {
  const configuration = read(...given);
  return configuration.ok ? "" : configuration.error.message;
}

test("a store of images and files needs a key, and an address or a region", () => {
  expect(refusedFor({ ...key, HEDDLE_S3_ENDPOINT: "http://127.0.0.1:9000" })).toBe("");
  expect(refusedFor({ ...key, HEDDLE_S3_REGION: "eu-central-1" })).toBe("");
  expect(refusedFor(key)).toContain("HEDDLE_S3_ENDPOINT");
  expect(refusedFor({ HEDDLE_S3_REGION: "eu-central-1" })).toContain("HEDDLE_S3_KEY_ID and HEDDLE_S3_SECRET");
  expect(refusedFor({ ...key, HEDDLE_S3_ENDPOINT: "ftp://store" })).toContain("HEDDLE_S3_ENDPOINT is not");
  expect(refusedFor({ ...key, HEDDLE_S3_ENDPOINT: "https://key:secret@store" })).toContain("HEDDLE_S3_ENDPOINT is not");
  expect(refusedFor({ ...key, HEDDLE_S3_REGION: "x" }, "https://pictures")).toContain("--blobs is not");
});

test("Amazon's own address names the bucket in the host, any other in the path, and the setting decides", () => {
  const styleOf = (env: Readonly<Record<string, string>>, blobs?: string) => {
    const configuration = read({ ...key, ...env }, blobs);
    const { style, endpoint, region } = (configuration.ok ? configuration.value.blobs : undefined) ?? {};
    return [style, endpoint?.host, region];
  };
  expect(styleOf({ HEDDLE_S3_REGION: "eu-central-1" })).toEqual([
    "host",
    "s3.eu-central-1.amazonaws.com",
    "eu-central-1",
  ]);
  expect(styleOf({ HEDDLE_S3_REGION: "eu-central-1" }, "s3://my.pictures")[0]).toBe("path");
  expect(styleOf({ HEDDLE_S3_ENDPOINT: "https://minio:9000" })).toEqual(["path", "minio:9000", "us-east-1"]);
  expect(styleOf({ HEDDLE_S3_ENDPOINT: "https://minio:9000", HEDDLE_S3_STYLE: "host" })[0]).toBe("host");
});

test("the secret of a store is taken from the environment alone", () => {
  const file = { path: "/home/ada/config.json", text: '{"s3Secret": "a-secret"}' };
  const read = readConfiguration({ flags: {}, user: { platform: "linux", home: "/home/ada", env: {} }, file });
  expect(read.ok ? "" : read.error.message).toContain("Set the variable HEDDLE_S3_SECRET instead.");
});
