import type { S3Credentials } from "./sign-s3.ts";

/** Where blobs lie in an S3 store, and with which key. */
export interface S3Place {
  readonly bucket: string;
  /** Before the name of each blob; empty, or ends with a slash. */
  readonly prefix: string;
  /** The store's address; without a bucket. */
  readonly endpoint: URL;
  readonly region: string;
  /** Whether the bucket is the first part of the path, or of the host's name. */
  readonly style: "path" | "host";
  readonly credentials: S3Credentials;
}

/** The form of `s3://bucket/prefix`. */
const address = /^s3:\/\/(?<bucket>[a-z0-9][a-z0-9.-]{1,61}[a-z0-9])(?:\/(?<prefix>(?:[\w-][\w.-]*(?:\/|$))*))?$/u;

/** Reads `s3://bucket/prefix`; null where it has another form. */
export function readS3Address(text: string): Pick<S3Place, "bucket" | "prefix"> | null {
  const found = address.exec(text)?.groups;
  if (found?.["bucket"] === undefined) return null;
  const prefix = found["prefix"] ?? "";
  return { bucket: found["bucket"], prefix: prefix === "" || prefix.endsWith("/") ? prefix : `${prefix}/` };
}

/** Returns the address of the bucket, which ends with a slash. */
export function bucketUrl({ endpoint, bucket, style }: S3Place): URL {
  const url = new URL(endpoint);
  const base = url.pathname.endsWith("/") ? url.pathname : `${url.pathname}/`;
  if (style === "host") url.hostname = `${bucket}.${url.hostname}`;
  url.pathname = style === "path" ? `${base}${bucket}/` : base;
  return url;
}

/** Returns the words by which people know the place. */
export function shownS3Place({ bucket, prefix, endpoint }: S3Place): string {
  return `s3://${bucket}/${prefix} at ${endpoint.host}`;
}
