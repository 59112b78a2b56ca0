import { createCipheriv, createECDH, hkdfSync } from "node:crypto";

/** What a browser gave for its messages: a point of P-256 and a secret, as bytes. */
export interface PushKeys {
  readonly p256dh: Uint8Array;
  readonly auth: Uint8Array;
}

/** What is drawn anew for each message. */
export interface PushChance {
  /** A private key of P-256: 32 bytes. */
  readonly privateKey: Uint8Array;
  /** 16 bytes. */
  readonly salt: Uint8Array;
}

/** One record holds every message: a push service takes 4,096 bytes. */
const recordBytes = 4096;

/**
 * Encrypts a message so that the browser alone reads it, not the push service (RFC 8291, with the `aes128gcm` of RFC 8188).
 * Throws when `p256dh` is no point of the curve.
 */
export function encryptPush(text: Uint8Array, keys: PushKeys, chance: PushChance): Buffer {
  const sender = createECDH("prime256v1");
  sender.setPrivateKey(chance.privateKey);
  const shared = sender.computeSecret(keys.p256dh);
  const own = sender.getPublicKey();
  const about = Buffer.concat([Buffer.from("WebPush: info\0"), keys.p256dh, own]);
  const secret = derive(shared, keys.auth, about, 32);
  const key = derive(secret, chance.salt, Buffer.from("Content-Encoding: aes128gcm\0"), 16);
  const nonce = derive(secret, chance.salt, Buffer.from("Content-Encoding: nonce\0"), 12);
  const cipher = createCipheriv("aes-128-gcm", key, nonce);
  const size = Buffer.alloc(4);
  size.writeUInt32BE(recordBytes);
  // 2: the last record.
  const record = [cipher.update(text), cipher.update(Buffer.of(2)), cipher.final(), cipher.getAuthTag()];
  return Buffer.concat([chance.salt, size, Buffer.of(own.length), own, ...record]);
}

function derive(from: Uint8Array, salt: Uint8Array, about: Uint8Array, bytes: number): Buffer {
  return Buffer.from(hkdfSync("sha256", from, salt, about, bytes));
}
