import { expect, test } from "vitest";
import { StdioTransport } from "./stdio-transport.ts";

test.each([
  ["exits a little later", "setTimeout(() => process.exit(9), 50)", "it exited with code 9"],
  ["keeps running", "setInterval(() => {}, 1000)", "it closed its input"],
])("a program that closes its input and %s fails later messages with its reason", async (_name, then, why) => {
  const closesInput = `require("node:fs").closeSync(0); console.error("closed"); ${then}`;
  const noise = Promise.withResolvers<string>();
  const transport = new StdioTransport({
    command: process.execPath,
    args: ["-e", closesInput],
    env: {},
    cwd: process.cwd(),
    onNoise: noise.resolve,
  });
  await transport.start();
  expect(await noise.promise).toBe("closed\n");
  await expect(transport.send({ jsonrpc: "2.0", id: 1, method: "ping" })).rejects.toThrow("closed");
  expect(transport.ended).toEqual({ type: "closed", message: why, retryable: true });
  await transport.close();
});
