import { refusal, type Refusal } from "./errors.ts";
import type { Brand } from "./brand.ts";
import { err, ok, type Result } from "./result.ts";

/** A file's place below a workspace folder: names joined by `/`, none of them able to lead out of it. */
export type FilePath = Brand<string, "FilePath">;

/** UTF-8 bytes of one name, as file systems bound them. */
const nameBytesMax = 255;
const pathUnitsMax = 4_096;

/** Names that Windows keeps for devices, with or without an ending. */
const deviceName = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(?:\.|$)/i;

/**
 * Reads a path. Refused with PATH_REFUSED, with what is wrong: absolute paths, `..`, drive letters and other colons,
 * backslashes, control signs, signs that do not show or turn the writing direction, another spelling of a composed
 * letter, and the folders in which git and Heddle keep what they run. No look at the disk: links are the reader's task.
 */
export function readFilePath(path: string): Result<FilePath, Refusal> {
  const refused = (problem: string): Result<FilePath, Refusal> => err(refusal("PATH_REFUSED", { path, problem }));
  if (path === "" || path.length > pathUnitsMax) return refused(`1 to ${pathUnitsMax} characters are expected`);
  if (!path.isWellFormed()) return refused("it holds half a character");
  if (path.startsWith("/")) return refused("it is absolute; name it from the workspace folder");
  if (/[\\:]/.test(path)) return refused("it holds a backslash or a colon");
  // oxlint-disable-next-line no-control-regex -- exactly these are looked for
  if (/[\u0000-\u001f\u007f-\u009f]/.test(path)) return refused("it holds a control sign");
  if (/[\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cn}]/u.test(path)) return refused("it holds a sign that does not show");
  if (path !== path.normalize("NFC")) return refused("it holds a letter in two parts; compose it (NFC)");
  for (const name of path.split("/")) {
    const problem = problemOfName(name);
    if (problem !== null) return refused(problem);
  }
  return ok(path as FilePath);
}

/** What is the same file where case does not count. */
export function caseFolded(path: string): string {
  return path.normalize("NFC").toLowerCase();
}

function problemOfName(name: string): string | null {
  if (name === "") return "a name in it is empty";
  if (name === "." || name === "..") return "it steps out of its folder";
  if (/[. ]$/.test(name)) return "a name in it ends with a dot or a blank";
  if (utf8Length(name) > nameBytesMax) return `a name in it is longer than ${nameBytesMax} bytes`;
  if (deviceName.test(name)) return "a name in it is a device's";
  // What a short form or another case would lead to is the same folder on some file systems.
  const folded = caseFolded(name);
  if (folded === ".git" || folded === ".heddle" || /^(?:git|heddl)~\d+$/.test(folded)) {
    return "git's and Heddle's own folders cannot be read or written";
  }
  return null;
}

function utf8Length(text: string): number {
  let bytes = 0;
  for (const sign of text) {
    const point = sign.codePointAt(0) ?? 0;
    bytes += point < 0x80 ? 1 : point < 0x800 ? 2 : point < 0x10000 ? 3 : 4;
  }
  return bytes;
}
