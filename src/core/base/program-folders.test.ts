import { expect, test } from "vitest";
import { programFolders } from "./program-folders.ts";

const links: Readonly<Record<string, string>> = { "/opt/link": "/ws/bin" };
const rules = {
  delimiter: ":",
  separator: "/",
  isAbsolute: (folder: string) => folder.startsWith("/"),
  real: (folder: string) => links[folder] ?? folder,
};

test("programFolders drops relative folders and folders that others can write to, also behind a link", () => {
  const path = "/usr/bin:/ws:/ws/node_modules/.bin:node_modules/.bin::/opt/link:/ws-tools/bin:.";
  expect(programFolders(path, ["/ws"], rules)).toEqual(["/usr/bin", "/ws-tools/bin"]);
  expect(programFolders(path, ["/other", "/ws", "/ws-tools"], rules)).toEqual(["/usr/bin"]);
  expect(programFolders("", ["/ws"], rules)).toEqual([]);
});
