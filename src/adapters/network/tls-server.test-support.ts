import { createServer, type Server } from "node:https";
import type { IncomingMessage, ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A certificate for this machine that only tests believe, with its key. */
export const testCertificate = `-----BEGIN CERTIFICATE-----
MIIBmzCCAUGgAwIBAgIUUuts2cAGePJR2/uyMZBb4S4WW+gwCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEyODE5NTAzNFoYDzIxMjYxMTA0
MTk1MDM0WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAATr47Ep8AF9/gn2fQzhfBmq9mXj5ox0DiMpqIvnR61L8eA5FASZwmCG
PFF8259QbwHdfPW+qOexfcx9t5hpM8Hto28wbTAdBgNVHQ4EFgQUu6XA+Y2vqXy7
sYfRTObG8jIMzVkwHwYDVR0jBBgwFoAUu6XA+Y2vqXy7sYfRTObG8jIMzVkwDwYD
VR0TAQH/BAUwAwEB/zAaBgNVHREEEzARgglsb2NhbGhvc3SHBH8AAAEwCgYIKoZI
zj0EAwIDSAAwRQIhAO5TUIdPo885PdkzQOiIzdsPYgZME4J9o39zhyxzMD/LAiBr
Xob2shqxZXGD6QKQqN0DIxEcxBnO2Z0LwBbuasYMkA==
-----END CERTIFICATE-----`;
export const testKey = `-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgCuVSA3JZzuE7qt6V
BJL+bfuzU5t3xMGUEndzrUxbROOhRANCAATr47Ep8AF9/gn2fQzhfBmq9mXj5ox0
DiMpqIvnR61L8eA5FASZwmCGPFF8259QbwHdfPW+qOexfcx9t5hpM8Ht
-----END PRIVATE KEY-----`;

/** Serves over TLS at a free port of this machine. */
export async function startTlsServer(
  answer: (request: IncomingMessage, response: ServerResponse) => void,
): Promise<{ readonly server: Server; readonly host: string }> {
  const server = createServer({ cert: testCertificate, key: testKey }, answer);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  return { server, host: `127.0.0.1:${(server.address() as AddressInfo).port}` };
}
