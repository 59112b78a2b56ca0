import { expect, test } from "vitest";
import { holdsCredentials, isLoopback, readNatsAddress, shownNats } from "./nats-address.ts";

test.each([
  ["nats://a:b@localhost", "nats://localhost:4222", true],
  ["NATS://a:b@LocalHost:1", "nats://localhost:1", true],
  ["nats://a:b@127.0.0.1:4222/", "nats://127.0.0.1:4222", true],
  ["nats://a:b@[::1]:4222", "nats://[::1]:4222", true],
  ["tls://a:b@nats-1.example.lan:443", "tls://nats-1.example.lan:443", false],
  ["tls://a:b@127.example.lan", "tls://127.example.lan:4222", false],
  ["tls://a:b@localhost.example.lan", "tls://localhost.example.lan:4222", false],
])("%s is shown as %s", (text, shown, isHere) => {
  const address = readNatsAddress(text);
  const credentials = { type: "password", user: "a", password: "b" };
  expect(address?.credentials).toEqual(credentials);
  if (address === null) return;
  expect(isLoopback(address)).toBe(isHere);
  expect(shownNats({ ...address, credentials: { type: "token", token: "t" } })).toBe(shown);
});

test("a name and a password may have any letters", () => {
  expect(readNatsAddress("tls://h%40e:p%3A%2F%40@nats")?.credentials).toEqual({
    type: "password",
    user: "h@e",
    password: "p:/@",
  });
});

test("a file of credentials has a JWT and a seed of a user", () => {
  const jwt = "-----BEGIN NATS USER JWT-----\ne30.e30.e30\n------END NATS USER JWT------\n";
  const seed = "-----BEGIN USER NKEY SEED-----\nSUAB\n------END USER NKEY SEED------\n";
  expect(holdsCredentials(`${jwt}\n${seed}`)).toBe(true);
  for (const wrong of ["", jwt, seed, `${jwt}${seed.replace("SUAB", "UAB")}`])
    expect(holdsCredentials(wrong)).toBe(false);
});
