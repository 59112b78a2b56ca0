import { createHash, createHmac } from "node:crypto";

/** The key of an S3 store. */
export interface S3Credentials {
  readonly keyId: string;
  readonly secret: string;
}

/** A request as it is signed. */
export interface S3Request {
  readonly method: "GET" | "HEAD" | "PUT" | "DELETE";
  readonly url: URL;
  /** Further headers, all of them signed; names in lower case. */
  readonly headers: Readonly<Record<string, string>>;
  /** SHA-256 of the body, in hex digits. */
  readonly bodyHash: string;
}

/** The SHA-256 of no bytes. */
export const emptyHash = createHash("sha256").digest("hex");

const algorithm = "AWS4-HMAC-SHA256";

/**
 * Returns the headers of a signed request (Signature Version 4, as S3 uses it: the path is encoded once, and the hash of
 * the body is a header). `at` is UTC milliseconds.
 */
export function signedHeaders(
  { method, url, headers, bodyHash }: S3Request,
  { keyId, secret }: S3Credentials,
  { region, at }: { readonly region: string; readonly at: number },
): Readonly<Record<string, string>> {
  const stamp = new Date(at).toISOString().replaceAll(/[-:]|\.\d{3}/gu, "");
  const day = stamp.slice(0, 8);
  const scope = `${day}/${region}/s3/aws4_request`;
  const all: Readonly<Record<string, string>> = {
    ...headers,
    host: url.host,
    "x-amz-content-sha256": bodyHash,
    "x-amz-date": stamp,
  };
  const names = Object.keys(all).toSorted();
  const canonical = [
    method,
    url.pathname,
    canonicalQuery(url),
    ...names.map((name) => `${name}:${(all[name] ?? "").trim()}`),
    "",
    names.join(";"),
    bodyHash,
  ].join("\n");
  const toSign = [algorithm, stamp, scope, createHash("sha256").update(canonical).digest("hex")].join("\n");
  const key = [day, region, "s3", "aws4_request"].reduce<string | Buffer>(
    (above, part) => createHmac("sha256", above).update(part).digest(),
    `AWS4${secret}`,
  );
  const signature = createHmac("sha256", key).update(toSign).digest("hex");
  const authorization = `${algorithm} Credential=${keyId}/${scope}, SignedHeaders=${names.join(";")}, Signature=${signature}`;
  return { ...all, authorization };
}

/** Encodes a text as S3 does in paths and queries: everything but unreserved characters. */
export function encodedForS3(text: string): string {
  return encodeURIComponent(text).replaceAll(
    /[!'()*]/gu,
    (mark) => `%${mark.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

function canonicalQuery({ searchParams }: URL): string {
  return [...searchParams]
    .map(([name, value]) => `${encodedForS3(name)}=${encodedForS3(value)}`)
    .toSorted()
    .join("&");
}
