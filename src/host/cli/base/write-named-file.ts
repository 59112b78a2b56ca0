import { realpath, stat, writeFile } from "node:fs/promises";
import { resolve } from "node:path";
import { unlessMissing } from "../../../core/base/error-code.ts";
import { writeWhole } from "../../base/write-whole.ts";

/** Writes the whole file that a person named, or none of it. A link keeps its place; devices and pipes are written to. */
export async function writeNamedFile(name: string, text: string | AsyncIterable<string>): Promise<void> {
  const there = await stat(resolve(name)).catch(unlessMissing);
  if (there === undefined) await writeWhole(resolve(name), text);
  else if (there.isFile()) await writeWhole(await realpath(resolve(name)), text);
  else await writeFile(resolve(name), text);
}
