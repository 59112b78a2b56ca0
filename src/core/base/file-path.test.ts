import { describe, expect, test } from "vitest";
import { caseFolded, readFilePath } from "./file-path.ts";

describe("a path", () => {
  test.each([
    "a.md",
    "src/a b.ts",
    "ü/日本.md",
    ".gitignore",
    "a/.github/x.yml",
    "a..b/c",
    "😀.txt",
    "con-fig/console.log",
  ])("%s names a file", (path) => {
    expect(readFilePath(path)).toEqual({ ok: true, value: path });
  });

  test.each([
    ["51 stepping out", "../x"],
    ["52 absolute", "/etc/passwd"],
    ["53 stepping out on the way", "a/../../x"],
    ["a folder itself", "a/./b"],
    ["an empty name", "a//b"],
    ["a folder", "a/"],
    ["nothing", ""],
    ["a drive", "C:/x"],
    ["a second stream", "a.txt:evil"],
    ["a backslash", "..\\x"],
    ["58 git's folder", ".git/hooks/pre-commit"],
    ["58 git's folder in another case", "a/.GIT/config"],
    ["58 git's folder by its short name", "git~1/config"],
    ["58 Heddle's folder", ".heddle/config"],
    ["59 NUL", "a\0b"],
    ["59 a newline", "a\nb"],
    ["59 a turned direction", "a\u202egpj.exe"],
    ["59 a sign without width", "a\u200bb"],
    ["59 a name of 256 bytes", "x".repeat(256)],
    ["59 256 bytes in other letters", "ü".repeat(128)],
    ["59 a letter in two parts", "u\u0308.md"],
    ["a lone surrogate", "a\ud800"],
    ["a dot at the end", "a./b"],
    ["a blank at the end", "a "],
    ["a device", "a/NUL.txt"],
    ["a device by itself", "com1"],
    ["4,097 characters", `${"a/".repeat(2_048)}b`],
  ])("%s is refused", (_name, path) => {
    const read = readFilePath(path);
    expect(read.ok ? read.value : read.error).toMatchObject({
      code: "PATH_REFUSED",
      details: { problem: expect.any(String) },
    });
  });

  test("is the same file in another case", () => {
    expect(caseFolded("Src/ÄB.md")).toBe(caseFolded("src/äb.MD"));
  });
});
