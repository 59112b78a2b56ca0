import type { FilePath } from "../../core/base/file-path.ts";
import { git } from "./git.ts";
import { hasCrLf, normalises, withLf } from "./line-ends.ts";
import type { UnfitFile } from "../../core/port/unfit-files.ts";

/** A repository's rules for the form in which it stores files. */
export interface FormRules {
  readonly attributesByPath: ReadonlyMap<string, Attributes>;
  readonly autocrlf: string;
}

type Attributes = ReadonlyMap<string, string>;

const converting = ["filter", "ident", "working-tree-encoding"];

export async function formRulesOf(root: string, paths: readonly FilePath[]): Promise<FormRules> {
  const attributesByPath = new Map<string, Map<string, string>>();
  const input = paths.map((path) => `${path}\0`).join("");
  const output = await git(root, ["check-attr", "-z", "--stdin", "text", "eol", "crlf", ...converting], { input });
  const fields = output.split("\0");
  for (let at = 0; at + 2 < fields.length; at += 3) {
    const [path = "", name = "", value = ""] = fields.slice(at, at + 3);
    const attributes = attributesByPath.get(path) ?? new Map<string, string>();
    attributesByPath.set(path, attributes.set(name, value));
  }
  return {
    attributesByPath,
    autocrlf: (await git(root, ["config", "--default", "", "--get", "core.autocrlf"])).trim(),
  };
}

/** The files that git would convert with a filter program of the repository, which Heddle does not run. */
export function convertedFiles(paths: readonly FilePath[], { attributesByPath }: FormRules): readonly UnfitFile[] {
  return paths.flatMap((path) => {
    const asked = converting.find((name) => isSet(attributesByPath.get(path)?.get(name)));
    return asked === undefined ? [] : [{ path, problem: `git would convert it: it has the attribute ${asked}` }];
  });
}

function isSet(value: string | undefined): boolean {
  return value !== undefined && value !== "unspecified" && value !== "unset";
}

/** Converts a file to the form in which the repository stores it. `kept` is the object that stores it now. */
export async function repositoryForm(
  root: string,
  { path, bytes, kept }: { readonly path: FilePath; readonly bytes: Uint8Array; readonly kept: string | undefined },
  { attributesByPath, autocrlf }: FormRules,
): Promise<Uint8Array> {
  const attributes = attributesByPath.get(path);
  const [text = "unspecified", eol = "unspecified", crlf = "unspecified"] = ["text", "eol", "crlf"].map((name) =>
    attributes?.get(name),
  );
  const how = normalises({ text, eol, crlf, autocrlf });
  if (how === "always") return withLf(bytes);
  if (how === "never" || !hasCrLf(bytes)) return bytes;
  // A file that is already stored with CR LF keeps them.
  const isKeptSo = kept !== undefined && hasCrLf(Buffer.from(await git(root, ["cat-file", "blob", kept])));
  return isKeptSo ? bytes : withLf(bytes);
}
