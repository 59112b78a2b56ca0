import { expect, test } from "vitest";
import { parameters } from "./commands.test-support.ts";
import { readCommand } from "./read-command.ts";

test.each(Object.entries(parameters))(
  "readCommand accepts the parameters of %s and refuses others",
  (name, { good, bad }) => {
    expect(readCommand(name, good)).toEqual({ ok: true, value: { name, params: good } });
    for (const params of bad) {
      const read = readCommand(name, params);
      expect([params, read.ok ? "read" : read.error.code]).toEqual([params, "INVALID_PARAMS"]);
    }
  },
);

test.each(["conversation.destroy", "", "__proto__", "constructor", "toString"])("%j is not a command", (name) => {
  const read = readCommand(name, {});
  expect(read.ok ? "read" : read.error.code).toBe("UNKNOWN_METHOD");
});

test("the parameters of a command without any may be left out", () => {
  expect(readCommand("models.list", undefined)).toEqual({ ok: true, value: { name: "models.list", params: {} } });
});

test("any command accepts a `clientRequestId`, which is not among its parameters", () => {
  const given = { presets: 1, name: "three", clientRequestId: "r1" };
  expect(readCommand("preset.delete", given)).toEqual({
    ok: true,
    value: { name: "preset.delete", params: { name: "three" }, clientRequestId: "r1" },
  });
  for (const clientRequestId of ["", "a b", "x".repeat(65), 1, null]) {
    const read = readCommand("preset.delete", { name: "three", clientRequestId });
    expect([clientRequestId, read.ok ? "read" : read.error.code]).toEqual([clientRequestId, "INVALID_PARAMS"]);
  }
});
