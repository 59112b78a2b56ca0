import { existsSync } from "node:fs";
import { homedir } from "node:os";
import { dirname, join, resolve, sep } from "node:path";
import { caseFolded } from "../../core/base/file-path.ts";
import { git } from "./git.ts";

/** Settings whose value is a path: a folder of hooks, a file of further settings, a template of repositories. */
const pathSettings = /^(?:core\.hookspath|core\.attributesfile|include\.path|includeif\..*\.path|init\.templatedir)$/u;

/** Settings whose value is a command, or begins with one. */
const commandSettings = new RegExp(
  `^(?:${[
    "alias\\..*",
    "browser\\..*\\.(?:cmd|path)",
    "core\\.(?:alternaterefscommand|askpass|editor|fsmonitor|gitproxy|pager|sshcommand)",
    "credential(?:\\..*)?\\.helper",
    "diff\\.external",
    "diff\\..*\\.(?:command|textconv)",
    "difftool\\..*\\.(?:cmd|path)",
    "filter\\..*\\.(?:clean|process|smudge)",
    "gpg(?:\\..*)?\\.(?:program|defaultkeycommand)",
    "guitool\\..*\\.cmd",
    "hook\\..*\\.command",
    "interactive\\.difffilter",
    "man\\..*\\.(?:cmd|path)",
    "merge\\..*\\.driver",
    "mergetool\\..*\\.(?:cmd|path)",
    "pager\\..*",
    "remote\\..*\\.(?:proxy|receivepack|uploadpack|vcs)",
    "sendemail\\..*cmd",
    "sequence\\.editor",
    "submodule\\..*\\.update",
    "trailer\\..*\\.(?:cmd|command)",
    "uploadpack\\.packobjectshook",
  ].join("|")})$`,
  "u",
);

/**
 * Whether git, as it is configured for this folder and the repositories on the way to a file, takes the file for a hook, for
 * settings, or for a program that it runs. `path` counts from the folder. A repository's own settings are read with git, with
 * what they include.
 */
export async function isRunByGit(root: string, path: string): Promise<boolean> {
  const file = resolve(root, path);
  if (!file.startsWith(root + sep)) return false;
  const named = await Promise.all(repositoriesAbove(root, file).map(namedIn));
  const folded = caseFolded(file);
  return named.flat().some((each) => folded === caseFolded(each) || folded.startsWith(caseFolded(each) + sep));
}

/** Returns the folders in which git finds a repository for a file, and the root, whose repository may begin above it. */
function repositoriesAbove(root: string, file: string): readonly string[] {
  const found = [root];
  for (let folder = dirname(file); folder.startsWith(root + sep); folder = dirname(folder))
    if (existsSync(join(folder, ".git"))) found.push(folder);
  return found;
}

/** Returns the paths that the settings of a folder's repository name. */
async function namedIn(folder: string): Promise<readonly string[]> {
  const listed = await git(folder, ["config", "--list", "--includes", "--show-origin", "-z"]).catch(() => "");
  const top = await git(folder, ["rev-parse", "--show-toplevel"]).then(
    (said) => said.replace(/\n$/u, "") || folder,
    () => folder,
  );
  const fields = listed.split("\0");
  const named: string[] = [];
  for (let at = 0; at + 1 < fields.length; at += 2) {
    const origin = fields[at] ?? "";
    const [key = "", ...lines] = (fields[at + 1] ?? "").split("\n");
    const value = lines.join("\n");
    if (pathSettings.test(key)) {
      // What is included lies beside the file that includes it; everything else counts from the work tree.
      const isBeside = key.startsWith("include") && origin.startsWith("file:");
      const from = isBeside ? dirname(resolve(folder, origin.slice("file:".length))) : top;
      named.push(resolve(from, expanded(value)));
    } else if (commandSettings.test(key)) {
      named.push(...filesIn(value, top));
    }
  }
  return named;
}

/** Returns the files of a work tree that a command may name: words with a slash, and words that are files there. */
function filesIn(command: string, top: string): readonly string[] {
  const words = command.split(/[\s"'`;|&()<>!=$]+/u).filter((word) => word !== "" && word !== "." && word !== "..");
  return words
    .map((word) => ({ word, path: resolve(top, expanded(word)) }))
    .filter(({ word, path }) => path !== top && (word.includes("/") || existsSync(path)))
    .map(({ path }) => path);
}

function expanded(path: string): string {
  return path.startsWith("~/") ? join(homedir(), path.slice(2)) : path;
}
