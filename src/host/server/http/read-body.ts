import type { IncomingMessage } from "node:http";
import { refusal, type Refusal } from "../../../core/base/errors.ts";
import { err, ok, type Result } from "../../../core/base/result.ts";
import { readBoundedJson } from "../../../core/protocol/base/bounded-json.ts";
import { serverLimits } from "./server-limits.ts";

/** Reads a request's body as JSON, within limits; a refused body is not read to its end. */
export async function readJsonBody(
  request: IncomingMessage,
  bytesMax: number = serverLimits.bodyBytesMax,
): Promise<Result<unknown, Refusal>> {
  const type = request.headers["content-type"] ?? "";
  if (!/^application\/json\s*(;|$)/i.test(type)) return err(refusal("UNSUPPORTED_MEDIA_TYPE"));
  const text = await readText(request, bytesMax);
  if (!text.ok) return text;
  if (text.value === "") return ok({});
  const read = readBoundedJson(text.value);
  // A list has no keys: if all keys are optional, it would pass for an empty object.
  return read.ok && Array.isArray(read.value) ? err(refusal("INVALID_PARAMS", notAnObject)) : read;
}

/** Reads a request's body as the text of a form, within limits. */
export async function readForm(request: IncomingMessage, bytesMax: number): Promise<Result<string, Refusal>> {
  const type = request.headers["content-type"] ?? "";
  if (!/^application\/x-www-form-urlencoded\s*(;|$)/i.test(type)) {
    return err(refusal("UNSUPPORTED_MEDIA_TYPE", {}, "This address reads forms: application/x-www-form-urlencoded."));
  }
  return readText(request, bytesMax);
}

async function readText(request: IncomingMessage, bytesMax: number): Promise<Result<string, Refusal>> {
  const encoding = request.headers["content-encoding"];
  if (encoding !== undefined && encoding !== "identity") return err(refusal("UNSUPPORTED_MEDIA_TYPE", { encoding }));
  const tooLarge = refusal("FRAME_TOO_LARGE", { max: bytesMax });
  if (Number(request.headers["content-length"] ?? 0) > bytesMax) return err(tooLarge);
  const bytes = await readBytes(request, bytesMax);
  if (bytes === "too large") return err(tooLarge);
  if (bytes === "broken off") return err(refusal("FRAME_MALFORMED", { reason: "broken off" }));
  const text = utf8(bytes);
  return text === undefined ? err(refusal("FRAME_MALFORMED", { reason: "not UTF-8" })) : ok(text);
}

const notAnObject = { issues: [{ path: "", expected: "Object" }] };

function readBytes(request: IncomingMessage, bytesMax: number): Promise<Buffer | "too large" | "broken off"> {
  return new Promise((resolve) => {
    const chunks: Buffer[] = [];
    let length = 0;
    request.on("data", (chunk: Buffer) => {
      length += chunk.length;
      if (length <= bytesMax) chunks.push(chunk);
      else resolve("too large");
    });
    request.on("end", () => resolve(Buffer.concat(chunks)));
    request.on("error", () => resolve("broken off"));
    request.on("close", () => resolve("broken off"));
  });
}

function utf8(bytes: Buffer): string | undefined {
  try {
    return new TextDecoder("utf-8", { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
