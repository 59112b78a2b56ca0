import { createPrivateKey, sign } from "node:crypto";

/** How long a signed token is good for; a push service takes at most 24 hours. Milliseconds. */
const tokenMs = 12 * 60 * 60 * 1000;

/** The key pair by which push services know a server: the point and the private number, as bytes in base64url. */
export interface VapidKeys {
  readonly publicKey: string;
  readonly privateKey: string;
}

/** Returns the `Authorization` of RFC 8292 for an address. `contact`: a https or mailto address of whoever runs the server. */
export function vapidAuthorization(
  keys: VapidKeys,
  { endpoint, contact, now }: { readonly endpoint: string; readonly contact: string; readonly now: number },
): string {
  const point = Buffer.from(keys.publicKey, "base64url");
  const key = createPrivateKey({
    format: "jwk",
    key: {
      kty: "EC",
      crv: "P-256",
      x: point.subarray(1, 33).toString("base64url"),
      y: point.subarray(33).toString("base64url"),
      d: keys.privateKey,
    },
  });
  const claims = { aud: new URL(endpoint).origin, exp: Math.floor((now + tokenMs) / 1000), sub: contact };
  const text = [{ typ: "JWT", alg: "ES256" }, claims]
    .map((part) => Buffer.from(JSON.stringify(part)).toString("base64url"))
    .join(".");
  const signature = sign("sha256", Buffer.from(text), { key, dsaEncoding: "ieee-p1363" }).toString("base64url");
  return `vapid t=${text}.${signature}, k=${keys.publicKey}`;
}
