import { createDecipheriv, createECDH, createPublicKey, type ECDH, hkdfSync, randomBytes, verify } from "node:crypto";
import type { JsonObject } from "../../core/base/json.ts";

/** A browser's side of its pushes: its keys, and what it reads with them (RFC 8291). */
export interface PushReader {
  readonly p256dh: string;
  readonly auth: string;
  read(body: Uint8Array): JsonObject;
}

export function pushReader(): PushReader {
  const own = createECDH("prime256v1");
  own.generateKeys();
  const auth = randomBytes(16);
  return {
    p256dh: own.getPublicKey("base64url"),
    auth: auth.toString("base64url"),
    read: (body) => JSON.parse(decrypted(Buffer.from(body), own, auth).toString("utf8")) as JsonObject,
  };
}

function decrypted(body: Buffer, own: ECDH, auth: Buffer): Buffer {
  const salt = body.subarray(0, 16);
  const sender = body.subarray(21, 21 + body.readUInt8(20));
  const record = body.subarray(21 + sender.length);
  const derive = (from: Uint8Array, with_: Uint8Array, about: Uint8Array, bytes: number): Buffer =>
    Buffer.from(hkdfSync("sha256", from, with_, about, bytes));
  const about = Buffer.concat([Buffer.from("WebPush: info\0"), own.getPublicKey(), sender]);
  const secret = derive(own.computeSecret(sender), auth, about, 32);
  const key = derive(secret, salt, Buffer.from("Content-Encoding: aes128gcm\0"), 16);
  const nonce = derive(secret, salt, Buffer.from("Content-Encoding: nonce\0"), 12);
  const cipher = createDecipheriv("aes-128-gcm", key, nonce);
  cipher.setAuthTag(record.subarray(-16));
  const text = Buffer.concat([cipher.update(record.subarray(0, -16)), cipher.final()]);
  return text.subarray(0, text.lastIndexOf(2));
}

/** Returns the claims of an `Authorization` of RFC 8292, or null where its signature is not that of the key. */
export function claimsOf(authorization: string, publicKey: string): JsonObject | null {
  const found = /^vapid t=([^.]+)\.([^.]+)\.([^,]+), k=(.+)$/u.exec(authorization);
  const [, head = "", claims = "", signature = "", named] = found ?? [];
  const point = Buffer.from(publicKey, "base64url");
  const x = point.subarray(1, 33).toString("base64url");
  const y = point.subarray(33).toString("base64url");
  const key = createPublicKey({ format: "jwk", key: { kty: "EC", crv: "P-256", x, y } });
  const signed = verify(
    "sha256",
    Buffer.from(`${head}.${claims}`),
    { key, dsaEncoding: "ieee-p1363" },
    Buffer.from(signature, "base64url"),
  );
  return signed && named === publicKey
    ? (JSON.parse(Buffer.from(claims, "base64url").toString("utf8")) as JsonObject)
    : null;
}
