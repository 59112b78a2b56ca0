import { DatabaseError } from "pg";
import { expect, test } from "vitest";
import { assert } from "../../../core/base/assert.ts";
import { postgresFailure } from "./failure.ts";

function said(code: string, severity = "ERROR"): Error {
  const error = new DatabaseError(`${severity} ${code}`, 0, "error");
  error.code = code;
  error.severity = severity;
  return error;
}

function thrownBy(work: () => void): unknown {
  try {
    work();
  } catch (error) {
    return error;
  }
  return null;
}

test.each<readonly [string, unknown, object]>([
  ["a unique value that is already used", said("23505"), { type: "rule-broken" }],
  ["a missing parent", said("23503"), { type: "rule-broken" }],
  ["a number out of range", said("22003"), { type: "rule-broken" }],
  ["a statement without its table", said("42P01"), { type: "rule-broken" }],
  ["a serialisation conflict", said("40001"), { type: "in-the-way" }],
  ["a deadlock", said("40P01"), { type: "in-the-way" }],
  ["a lock that timed out", said("55P03"), { type: "in-the-way" }],
  ["a full disk", said("53100"), { type: "disk", code: "STORE_FULL" }],
  ["no memory", said("53200"), { type: "disk", code: "STORE_FAILED" }],
  ["a statement that took too long", said("57014"), { type: "disk", code: "STORE_FAILED" }],
  ["an unreadable disk", said("58030"), { type: "disk", code: "STORE_FAILED" }],
  ["damaged data", said("XX001"), { type: "disk", code: "STORE_FAILED" }],
  ["a server that stops", said("57P01", "FATAL"), { type: "lost" }],
  ["a server without a free connection", said("53300", "FATAL"), { type: "lost" }],
  ["a server that became a standby", said("25006"), { type: "lost" }],
  ["a reset socket", Object.assign(new Error("read ECONNRESET"), { code: "ECONNRESET" }), { type: "lost" }],
  ["a closed pipe", Object.assign(new Error("write EPIPE"), { code: "EPIPE" }), { type: "lost" }],
  ["a connection ended by pg", new Error("Connection terminated unexpectedly"), { type: "lost" }],
  ["a failed assertion of Heddle", thrownBy(() => assert(false, "never")), { type: "rule-broken", reason: "never" }],
  ["a type error of Heddle", new TypeError("x is not a function"), { type: "rule-broken" }],
])("postgresFailure classifies %s", (_name, error, expected) => {
  expect(postgresFailure(error)).toMatchObject(expected);
});
