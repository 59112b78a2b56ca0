import { createHash } from "node:crypto";
import { refusal } from "../../core/base/errors.ts";
import { err, ok } from "../../core/base/result.ts";
import { type BlobEntry, type BlobStore, BlobsAwayError, isBlobId } from "../../core/port/blobs.ts";
import type { Clock } from "../../core/port/platform.ts";
import { S3Client, s3Limits, type S3Limits } from "./s3-client.ts";
import type { S3Place } from "./s3-place.ts";

/**
 * Opens blobs in a bucket of any store that speaks S3. A blob is the object `ab/cdef…` behind the prefix, as in a folder, so
 * that a folder can be copied in and out. Its bytes are sent whole, with their hash signed and as a checksum, so an
 * object is there complete or not at all. Rejects where the store refuses the key or the bucket; a store that cannot be
 * reached now may come back.
 */
export async function openS3Blobs(place: S3Place, clock: Clock, limits: Partial<S3Limits> = {}): Promise<BlobStore> {
  const client = new S3Client(place, clock, { ...s3Limits, ...limits });
  const keyOf = (id: string): string => `${place.prefix}${id.slice(0, 2)}/${id.slice(2)}`;
  try {
    const bucket = await client.ask({ method: "GET", key: "", query: { ...listing(place), "max-keys": "1" } });
    if (bucket.status === 404) throw new BlobsAwayError(`There is no bucket ${place.bucket}.`, "refused");
  } catch (problem) {
    if (!(problem instanceof BlobsAwayError && problem.reason === "unreachable")) throw problem;
  }

  return {
    async put(content) {
      const bytes = await gathered(content);
      const id = createHash("sha256").update(bytes).digest("hex");
      // Replaces what is there: its time is that of the last put, and a damaged object is whole again.
      const answer = await client.ask({ method: "PUT", key: keyOf(id), body: bytes });
      if (answer.status === 404) throw new BlobsAwayError(`There is no bucket ${place.bucket}.`, "refused");
      return { id, size: bytes.length };
    },
    async get(id) {
      if (!isBlobId(id)) return err(refusal("BLOB_NOT_FOUND"));
      const { status, body } = await client.ask({ method: "GET", key: keyOf(id) });
      if (status === 404) return err(refusal("BLOB_NOT_FOUND", { id }));
      const hash = createHash("sha256").update(body).digest("hex");
      return hash === id ? ok(body) : err(refusal("BLOB_DAMAGED", { id, size: body.length }));
    },
    async sizeOf(id) {
      if (!isBlobId(id)) return null;
      const { status, headers } = await client.ask({ method: "HEAD", key: keyOf(id) });
      return status === 404 ? null : Number(headers.get("content-length") ?? 0);
    },
    async list() {
      const entries: BlobEntry[] = [];
      for (let from: string | null = ""; from !== null;) {
        const query: Readonly<Record<string, string>> =
          from === "" ? listing(place) : { ...listing(place), "continuation-token": from };
        const page = pageOf(new TextDecoder().decode((await client.ask({ method: "GET", key: "", query })).body));
        for (const { key, size, storedAt } of page.objects) {
          const id = key.slice(place.prefix.length).replace("/", "");
          if (isBlobId(id) && keyOf(id) === key) entries.push({ id, size, storedAt });
        }
        from = page.next;
      }
      return entries.toSorted((a, b) => (a.id < b.id ? -1 : 1));
    },
    async remove(id) {
      if (isBlobId(id)) await client.ask({ method: "DELETE", key: keyOf(id) });
    },
  };
}

function listing({ prefix }: S3Place): Readonly<Record<string, string>> {
  return { "list-type": "2", ...(prefix === "" ? {} : { prefix }) };
}

async function gathered(content: Uint8Array | AsyncIterable<Uint8Array>): Promise<Uint8Array> {
  if (content instanceof Uint8Array) return content.slice();
  const pieces: Uint8Array[] = [];
  for await (const piece of content) pieces.push(piece);
  return new Uint8Array(Buffer.concat(pieces));
}

interface ListedObject {
  readonly key: string;
  readonly size: number;
  readonly storedAt: number;
}

/** Reads a page of a list. The names that are looked for need no escapes, so those of others are only skipped. */
function pageOf(xml: string): { readonly objects: readonly ListedObject[]; readonly next: string | null } {
  const objects = [...xml.matchAll(/<Contents>(?<entry>.*?)<\/Contents>/gsu)].map(({ groups }) => {
    const entry = groups?.["entry"] ?? "";
    return {
      key: textIn(entry, "Key") ?? "",
      size: Number(textIn(entry, "Size") ?? 0),
      storedAt: Date.parse(textIn(entry, "LastModified") ?? ""),
    };
  });
  const hasMore = textIn(xml, "IsTruncated") === "true";
  return { objects, next: hasMore ? (textIn(xml, "NextContinuationToken") ?? null) : null };
}

function textIn(xml: string, name: string): string | undefined {
  const found = new RegExp(`<${name}>(?<text>[^<]*)</${name}>`, "u").exec(xml)?.groups?.["text"];
  return found
    ?.replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&quot;", '"')
    .replaceAll("&#39;", "'")
    .replaceAll("&amp;", "&");
}
