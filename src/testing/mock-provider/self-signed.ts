import { generateKeyPairSync, sign, type KeyObject } from "node:crypto";

/** A key and a self-signed certificate for 127.0.0.1 and localhost, in PEM. */
export interface SelfSigned {
  readonly key: string;
  readonly certificate: string;
}

/** Creates a certificate for a test server on the loopback interface, valid from 2000 to 2049. */
export function selfSigned(): SelfSigned {
  const { privateKey, publicKey } = generateKeyPairSync("ec", { namedCurve: "P-256" });
  const toBeSigned = unsigned(publicKey);
  const signature = sign("sha256", toBeSigned, privateKey);
  const certificate = sequence(toBeSigned, ecdsaWithSha256, bits(signature));
  return {
    key: privateKey.export({ type: "pkcs8", format: "pem" }),
    certificate: `-----BEGIN CERTIFICATE-----\n${lines(certificate.toString("base64"))}-----END CERTIFICATE-----\n`,
  };
}

// X.509 (RFC 5280) in DER: a tag, a length, the content.
function element(tag: number, ...contents: readonly Uint8Array[]): Buffer {
  const content = Buffer.concat(contents);
  const { length } = content;
  const size = length < 128 ? [length] : length < 256 ? [0x81, length] : [0x82, length >> 8, length & 255];
  return Buffer.concat([Buffer.from([tag, ...size]), content]);
}

function sequence(...contents: readonly Uint8Array[]): Buffer {
  return element(0x30, ...contents);
}

function bits(bytes: Uint8Array): Buffer {
  return element(0x03, Buffer.from([0]), bytes);
}

function oid(hex: string): Buffer {
  return element(0x06, Buffer.from(hex, "hex"));
}

const ecdsaWithSha256 = sequence(oid("2a8648ce3d040302"));
const commonName = oid("550403");
const subjectAltName = oid("551d11");
const basicConstraints = oid("551d13");
const isAuthority = element(0x01, Buffer.from([0xff]));

function unsigned(publicKey: KeyObject): Buffer {
  const name = sequence(element(0x31, sequence(commonName, element(0x0c, Buffer.from("localhost")))));
  const validity = sequence(element(0x17, Buffer.from("000101000000Z")), element(0x17, Buffer.from("491231235959Z")));
  const names = sequence(element(0x82, Buffer.from("localhost")), element(0x87, Buffer.from([127, 0, 0, 1])));
  const extensions = sequence(
    sequence(subjectAltName, element(0x04, names)),
    sequence(basicConstraints, isAuthority, element(0x04, sequence(isAuthority))),
  );
  return sequence(
    element(0xa0, element(0x02, Buffer.from([2]))),
    element(0x02, Buffer.from([1])),
    ecdsaWithSha256,
    name,
    validity,
    name,
    publicKey.export({ type: "spki", format: "der" }),
    element(0xa3, extensions),
  );
}

function lines(text: string): string {
  return text.replaceAll(/.{1,64}/g, "$&\n");
}
