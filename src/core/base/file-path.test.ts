import { describe, expect, test } from "vitest";
import { caseFolded, readFilePath } from "./file-path.ts";

describe("readFilePath", () => {
  test.each([
    "a.md",
    "src/a b.ts",
    "ü/日本.md",
    ".gitignore",
    "a/.github/x.yml",
    "a..b/c",
    "😀.txt",
    "con-fig/console.log",
  ])("accepts %s", (path) => {
    expect(readFilePath(path)).toEqual({ ok: true, value: path });
  });

  test.each([
    ["51 a path out of the folder", "../x"],
    ["52 absolute", "/etc/passwd"],
    ["53 a path that leaves the folder on the way", "a/../../x"],
    ["a dot as a name", "a/./b"],
    ["an empty name", "a//b"],
    ["a folder", "a/"],
    ["nothing", ""],
    ["a drive", "C:/x"],
    ["an alternate data stream", "a.txt:evil"],
    ["a backslash", "..\\x"],
    ["58 the .git folder", ".git/hooks/pre-commit"],
    ["58 the .git folder in another case", "a/.GIT/config"],
    ["58 the .git folder by its short name", "git~1/config"],
    ["58 the .heddle folder", ".heddle/config"],
    ["59 NUL", "a\0b"],
    ["59 a newline", "a\nb"],
    ["59 a character that reverses the writing direction", "a\u202egpj.exe"],
    ["59 a zero-width character", "a\u200bb"],
    ["59 a name of 256 bytes", "x".repeat(256)],
    ["59 a name of 256 bytes in 128 characters", "ü".repeat(128)],
    ["59 a decomposed letter", "u\u0308.md"],
    ["a lone surrogate", "a\ud800"],
    ["a dot at the end", "a./b"],
    ["a space at the end", "a "],
    ["a device", "a/NUL.txt"],
    ["a bare device name", "com1"],
    ["4,097 characters", `${"a/".repeat(2_048)}b`],
  ])("refuses %s", (_name, path) => {
    const read = readFilePath(path);
    expect(read.ok ? read.value : read.error).toMatchObject({
      code: "PATH_REFUSED",
      details: { problem: expect.any(String) },
    });
  });

  test("paths that differ only in case fold to the same file", () => {
    expect(caseFolded("Src/ÄB.md")).toBe(caseFolded("src/äb.MD"));
  });
});
