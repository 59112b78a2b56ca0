import { resolve } from "node:path";
import { counted } from "../../../core/base/counted.ts";
import { refusal } from "../../../core/base/errors.ts";
import { err } from "../../../core/base/result.ts";
import { drillBackup } from "../../data/drill.ts";
import type { CommandForm, CommandLine } from "../base/command-line.ts";
import { printRefusal } from "../base/print-refusal.ts";
import { styled, type Terminal } from "../base/terminal.ts";

export const drillForm: CommandForm = { name: "drill", values: ["from"], switches: ["json"], argument: "from" };

export const drillHelp = `heddle drill: try whether a backup can be restored

Examples
  heddle drill /mnt/disk/notes

Copies the backup to a temporary folder, checks every page of its database, opens it with this release, reads
everything, hashes every image and file that a message names, and compares with what the backup says of itself.
Nothing is started and nothing is asked of a model; the copy is removed. Run it on a schedule, on another machine.
The exit code is 1 where something is missing, damaged or different.

Flags
  --from DIR   the backup, or any data folder that no server uses
  --json       machine-readable output`;

/** Restores a backup on trial and says what was found. */
export async function drill(line: CommandLine, terminal: Terminal): Promise<number> {
  const { from } = line.values;
  const done =
    from === undefined
      ? err(refusal("INVALID_PARAMS", {}, "Name the backup: heddle drill DIR."))
      : await drillBackup(resolve(from), () => Date.now());
  if (!done.ok) {
    return printRefusal(terminal, done.error);
  }
  const { conversations, messages, blocks, blobs, missingBlobs, differs, ms } = done.value;
  if (line.switches.has("json")) terminal.print(JSON.stringify(done.value));
  else {
    const whole = [counted(conversations, "conversation"), counted(messages, "message"), counted(blocks, "document")];
    terminal.print(
      `Restored in ${(ms / 1_000).toFixed(1)} s: ${whole.join(", ")}, ${counted(blobs, "image or file", "images and files")}.`,
    );
    if (differs === null) terminal.note("The folder says nothing of itself (no backup.json), so nothing was compared.");
    for (const difference of differs ?? []) terminal.note(styled(terminal, "red", `Different: ${difference}`));
    for (const id of missingBlobs)
      terminal.note(styled(terminal, "yellow", `A message names an image or a file that is missing or damaged: ${id}`));
  }
  return missingBlobs.length === 0 && (differs ?? []).length === 0 ? 0 : 1;
}
