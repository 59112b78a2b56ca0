import { isJsonObject, type JsonObject } from "../../../../src/core/base/json.ts";

/** The diff that a call brings: of its one text, or of several files, each under its path; null where it brings none. */
export function patchText(input: JsonObject): string | null {
  const { patch, files } = input;
  if (typeof patch === "string" && patch !== "") return patch;
  if (!Array.isArray(files)) return null;
  const parts = files.flatMap((file) => {
    const { path, patch: own } = isJsonObject(file) ? file : {};
    if (typeof path !== "string" || typeof own !== "string") return [];
    const hunks = own.indexOf("@@") === -1 ? own : own.slice(own.search(/^@@/m));
    return [`--- ${path}\n+++ ${path}\n${hunks.replace(/\n$/, "")}`];
  });
  return parts.length === 0 ? null : `${parts.join("\n")}\n`;
}
