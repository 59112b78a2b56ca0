import { expect, test } from "vitest";
import { splitCommand } from "./split-command.ts";

test("a command line is split as a shell splits it", () => {
  expect(splitCommand("npx -y  some-server")).toEqual(["npx", "-y", "some-server"]);
  expect(splitCommand(" npx  ")).toEqual(["npx"]);
  expect(splitCommand("")).toEqual([]);
  expect(splitCommand(`"/a b/c" 'x "y"' "say \\"it\\"" C:\\x ""`)).toEqual([
    "/a b/c",
    'x "y"',
    'say "it"',
    "C:\\x",
    "",
  ]);
  expect(splitCommand('npx "open')).toBeNull();
});
