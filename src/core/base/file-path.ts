import { refusal, type Refusal } from "./errors.ts";
import type { Brand } from "./brand.ts";
import { err, ok, type Result } from "./result.ts";

/** A file's path below a workspace folder: names joined by `/`, none of which can lead out of the folder. */
export type FilePath = Brand<string, "FilePath">;

/** The limit of file systems for one name, in UTF-8 bytes. */
const nameBytesMax = 255;
const pathUnitsMax = 4_096;

/** Names that Windows reserves for devices, with or without an extension. */
const deviceName = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(?:\.|$)/i;

/**
 * Parses a path. Refuses with PATH_REFUSED and the problem: absolute paths, `..`, drive letters and other colons,
 * backslashes, control characters, characters that are invisible or change the writing direction, decomposed letters, and
 * the folders in which git and Heddle keep what they run. Does not access the disk: whoever reads the file must check links.
 */
export function readFilePath(path: string): Result<FilePath, Refusal> {
  const refused = (problem: string): Result<FilePath, Refusal> => err(refusal("PATH_REFUSED", { path, problem }));
  if (path === "" || path.length > pathUnitsMax) return refused(`1 to ${pathUnitsMax} characters are allowed`);
  if (!path.isWellFormed()) return refused("it contains half a character");
  if (path.startsWith("/")) return refused("it is absolute; give the path from the workspace folder");
  if (/[\\:]/.test(path)) return refused("it contains a backslash or a colon");
  // oxlint-disable-next-line no-control-regex -- the expression looks for control characters
  if (/[\u0000-\u001f\u007f-\u009f]/.test(path)) return refused("it contains a control character");
  if (/[\p{Cf}\p{Zl}\p{Zp}\p{Co}\p{Cn}]/u.test(path)) return refused("it contains an invisible character");
  if (path !== path.normalize("NFC")) return refused("it contains a decomposed letter; use the composed form (NFC)");
  for (const name of path.split("/")) {
    const problem = problemOfName(name);
    if (problem !== null) return refused(problem);
  }
  return ok(path as FilePath);
}

/** Returns the same string for paths that name the same file where case does not count. */
export function caseFolded(path: string): string {
  return path.normalize("NFC").toLowerCase();
}

function problemOfName(name: string): string | null {
  if (name === "") return "a name in it is empty";
  if (name === "." || name === "..") return "`.` and `..` are not allowed as names";
  if (/[. ]$/.test(name)) return "a name in it ends with a dot or a space";
  if (utf8Length(name) > nameBytesMax) return `a name in it is longer than ${nameBytesMax} bytes`;
  if (deviceName.test(name)) return "a name in it is reserved for a device";
  // Some file systems open the same folder under its short name or in another case.
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
