import * as v from "valibot";
import { readS3Address, type S3Place } from "../../adapters/blobs/s3-place.ts";
import { refusal, type Refusal } from "../../core/base/errors.ts";
import { err, ok, type Result } from "../../core/base/result.ts";

/** The settings of a store of images and files, and where each comes from. */
export const blobSettings = {
  blobs: {
    form: "an address such as s3://bucket or s3://bucket/prefix",
    flag: "blobs",
    env: "HEDDLE_BLOBS",
    inFile: true,
  },
  s3Endpoint: {
    form: "an http or https address, such as https://minio.example.lan:9000",
    env: "HEDDLE_S3_ENDPOINT",
    inFile: true,
  },
  s3Region: { form: "the name of a region, such as eu-central-1", env: "HEDDLE_S3_REGION", inFile: true },
  s3Style: { form: "path or host", env: "HEDDLE_S3_STYLE", inFile: true },
  // Not flags: every user of the machine can read flags.
  s3KeyId: { form: "a key's id", env: "HEDDLE_S3_KEY_ID", inFile: false },
  s3Secret: { form: "a key's secret", env: "HEDDLE_S3_SECRET", inFile: false },
} as const;

const bucket = v.pipe(
  v.string(),
  v.transform(readS3Address),
  v.guard((place): place is NonNullable<typeof place> => place !== null),
);

const endpoint = v.pipe(
  v.string(),
  v.check((value) => /^https?:\/\/[^/?#@\s]+(?:\/[\w./-]*)?$/iu.test(value) && URL.canParse(value)),
  v.transform((value) => new URL(value)),
);

const visible = v.pipe(v.string(), v.regex(/^[\x21-\x7e]+$/u));

export const blobSchemas = {
  blobs: v.exactOptional(bucket),
  s3Endpoint: v.exactOptional(endpoint),
  s3Region: v.exactOptional(v.pipe(v.string(), v.regex(/^[a-z0-9-]{1,64}$/u))),
  s3Style: v.exactOptional(v.picklist(["path", "host"])),
  s3KeyId: v.exactOptional(visible),
  s3Secret: v.exactOptional(visible),
};

/** Returns where images and files lie; nothing: in the data folder. Refused where a part of the place is missing. */
export function blobsOf(given: {
  readonly blobs?: Pick<S3Place, "bucket" | "prefix"> | undefined;
  readonly s3Endpoint?: URL | undefined;
  readonly s3Region?: string | undefined;
  readonly s3Style?: S3Place["style"] | undefined;
  readonly s3KeyId?: string | undefined;
  readonly s3Secret?: string | undefined;
}): Result<{ readonly blobs?: S3Place }, Refusal> {
  const { blobs: at, s3Endpoint, s3Region, s3Style, s3KeyId: keyId, s3Secret: secret } = given;
  const refused = (message: string): Result<never, Refusal> => err(refusal("INVALID_PARAMS", {}, message));
  if (at === undefined) return ok({});
  if (keyId === undefined || secret === undefined) {
    return refused("--blobs needs the key of the store: set HEDDLE_S3_KEY_ID and HEDDLE_S3_SECRET.");
  }
  if (s3Endpoint === undefined && s3Region === undefined) {
    return refused("--blobs needs the store's address in HEDDLE_S3_ENDPOINT or, for Amazon, HEDDLE_S3_REGION.");
  }
  const region = s3Region ?? "us-east-1";
  // A bucket with a dot in its name has no certificate as a part of the host's name.
  const style = s3Style ?? (s3Endpoint === undefined && !at.bucket.includes(".") ? "host" : "path");
  const endpointUrl = s3Endpoint ?? new URL(`https://s3.${region}.amazonaws.com`);
  return ok({ blobs: { ...at, endpoint: endpointUrl, region, style, credentials: { keyId, secret } } });
}
