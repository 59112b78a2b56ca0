import { caseFolded } from "../../base/file-path.ts";
import type { JsonObject } from "../../base/json.ts";

/** Files, wherever in a folder, that people's programs run or obey without being asked to. Names are case-folded. */
const names: ReadonlySet<string> = new Set([
  // direnv and shells
  ".envrc",
  ".bashrc",
  ".bash_profile",
  ".bash_login",
  ".bash_logout",
  ".profile",
  ".zshrc",
  ".zprofile",
  ".zshenv",
  ".zlogin",
  ".zlogout",
  ".inputrc",
  ".mise.toml",
  "mise.toml",
  ".tool-versions",
  ".gdbinit",
  ".lldbinit",
  ".curlrc",
  ".wgetrc",
  // git; `.git` itself is no path of a file tool
  ".gitattributes",
  ".gitconfig",
  ".gitmodules",
  ".pre-commit-config.yaml",
  ".pre-commit-hooks.yaml",
  "lefthook.yml",
  "lefthook.yaml",
  "lefthook-local.yml",
  ".lefthook.yml",
  // package managers: an install runs scripts of package.json
  "package.json",
  "pnpm-workspace.yaml",
  "bunfig.toml",
  ".npmrc",
  ".yarnrc",
  ".yarnrc.yml",
  ".pnpmfile.cjs",
  ".pnpmfile.mjs",
  ".pnp.cjs",
  // continuous integration
  ".gitlab-ci.yml",
  ".travis.yml",
  "jenkinsfile",
  "azure-pipelines.yml",
  "azure-pipelines.yaml",
  "bitbucket-pipelines.yml",
  "appveyor.yml",
  ".appveyor.yml",
  ".drone.yml",
  ".woodpecker.yml",
  ".woodpecker.yaml",
  ".cirrus.yml",
  "cloudbuild.yaml",
  "buildspec.yml",
  // editors
  ".exrc",
  ".nvimrc",
  ".vimrc",
  ".devcontainer.json",
  ".nvim.lua",
  ".lvimrc",
  ".dir-locals-2.el",
  ".dir-locals.el",
  // agents: what they obey, and which programs they start
  ".mcp.json",
  "mcp.json",
  "agents.md",
  "agents.override.md",
  "claude.md",
  "claude.local.md",
  "gemini.md",
  "copilot-instructions.md",
  ".cursorrules",
  ".windsurfrules",
  ".clinerules",
  ".roorules",
  ".goosehints",
  ".rules",
  ".aider.conf.yml",
  "opencode.json",
  "opencode.jsonc",
  "crush.json",
  "qwen.md",
  "warp.md",
  ".ripgreprc",
]);

/** Folders below which every file is one. */
const folders: ReadonlySet<string> = new Set([
  ".husky",
  ".githooks",
  ".vscode",
  ".idea",
  ".fleet",
  ".zed",
  ".devcontainer",
  ".circleci",
  ".gitlab",
  ".woodpecker",
  ".buildkite",
  ".yarn",
  ".mise",
  ".emacs.d",
  ".nova",
  ".cargo",
  ".claude",
  ".codex",
  ".cursor",
  ".gemini",
  ".opencode",
  ".windsurf",
  ".amazonq",
  ".agents",
  ".continue",
  ".cline",
  ".clinerules",
  ".roo",
  ".kiro",
  ".junie",
  ".trae",
  ".qwen",
  ".goose",
  ".crush",
  ".vs",
]);

/** Pairs of folders below which every file is one. */
const folderPairs: ReadonlySet<string> = new Set([
  ".github/workflows",
  ".github/actions",
  ".github/agents",
  ".github/chatmodes",
  ".github/instructions",
  ".github/prompts",
  ".gitea/workflows",
  ".forgejo/workflows",
]);

/**
 * Whether other programs run or obey a file by itself: hooks, settings of editors, package managers and CI, instructions and
 * servers of agents. The sandbox, which has paths of its own, protects what is most dangerous of these from commands.
 */
export function isRunByOthers(path: string): boolean {
  const steps = stepsOf(path);
  // A bare repository, or one that somebody is building: git obeys its settings and runs its hooks.
  if (steps.at(-2) === "hooks" || (steps.at(-1) === "config" && steps.length > 1)) return true;
  return isObeyedByName(path);
}

/** The same without what is a hook or a file of settings only where its folder is a repository. */
export function isObeyedByName(path: string): boolean {
  const steps = stepsOf(path);
  const name = steps.at(-1) ?? "";
  if (names.has(name) || name.endsWith(".code-workspace")) return true;
  // The short name of a file system may mean any of them.
  if (steps.some((step) => /~\d+(?:\.|$)/u.test(step))) return true;
  return steps.some((step, at) => folders.has(step) || folderPairs.has(`${step}/${steps[at + 1] ?? ""}`));
}

/** Returns the names on the way to a file, as a file system opens it: `a/./b//../c` is `a/c`. */
function stepsOf(path: string): readonly string[] {
  const steps: string[] = [];
  for (const step of path.split("/")) {
    if (step === "..") steps.pop();
    // Some file systems take `ſ` for `s` and `ﬁ` for `fi`, which lower case alone keeps apart.
    else if (step !== "" && step !== ".") steps.push(caseFolded(caseFolded(step).toUpperCase()));
  }
  return steps;
}

/** What a call names: paths of files, ids of blocks that may be files, and leases of canvases that may be. */
export interface NamedFiles {
  readonly paths: readonly string[];
  readonly blockIds: readonly string[];
  readonly leaseIds: readonly string[];
}

/** Names under which tools, also those of other programs, take a path: `path`, `file_path`, `newPath`, `uri`, `destination`. */
const pathKey = /path|file|ur[il]$|^(?:to|from|source|src|destination|dest|target|move_to|name|new_?name)$/iu;
const blockKeys: ReadonlySet<string> = new Set(["block_id", "canvas_id"]);
/** A longer text, or one of several lines, is no path. */
const pathUnitsMax = 4_096;

/** Finds the files that the parameters of any tool name, at any depth, alone or in lists. */
export function filesNamed(parameters: JsonObject): NamedFiles {
  const paths: string[] = [];
  const blockIds: string[] = [];
  const leaseIds: string[] = [];
  const note = (key: string, value: string): void => {
    if (blockKeys.has(key)) blockIds.push(value);
    else if (key === "lease_id") leaseIds.push(value);
    else if (pathKey.test(key) && value.length <= pathUnitsMax && !value.includes("\n")) paths.push(value);
  };
  const look = (value: unknown, key: string): void => {
    if (typeof value === "string") return note(key, value);
    if (value === null || typeof value !== "object") return;
    for (const [own, each] of Object.entries(value)) look(each, Array.isArray(value) ? key : own);
  };
  look(parameters, "");
  return { paths, blockIds, leaseIds };
}
