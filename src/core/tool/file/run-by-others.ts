import { caseFolded } from "../../base/file-path.ts";
import type { JsonObject } from "../../base/json.ts";

/** Files, wherever in a folder, that people's programs run or obey without being asked to. Names are case-folded. */
const names: ReadonlySet<string> = new Set([
  // direnv and shells
  ".envrc",
  ".bashrc",
  ".bash_profile",
  ".profile",
  ".zshrc",
  ".zprofile",
  ".zshenv",
  // git; `.git` itself is no path of a file tool
  ".gitattributes",
  ".gitconfig",
  ".gitmodules",
  ".pre-commit-config.yaml",
  "lefthook.yml",
  "lefthook.yaml",
  // package managers
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
  // editors
  ".exrc",
  ".nvimrc",
  ".nvim.lua",
  ".dir-locals.el",
  // agents: what they obey, and which programs they start
  ".mcp.json",
  "mcp.json",
  "agents.md",
  "agents.override.md",
  "claude.md",
  "claude.local.md",
  "gemini.md",
  ".cursorrules",
  ".windsurfrules",
  ".clinerules",
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
  ".buildkite",
  ".yarn",
  ".cargo",
  ".claude",
  ".codex",
  ".cursor",
  ".gemini",
  ".opencode",
  ".windsurf",
  ".amazonq",
]);

/** Pairs of folders below which every file is one. */
const folderPairs: ReadonlySet<string> = new Set([
  ".github/workflows",
  ".github/actions",
  ".gitea/workflows",
  ".forgejo/workflows",
]);

/**
 * Whether other programs run or obey a file by itself: hooks, settings of editors, package managers and CI, instructions and
 * servers of agents. The sandbox, which has paths of its own, protects what is most dangerous of these from commands.
 */
export function isRunByOthers(path: string): boolean {
  const steps = path.split("/").map(caseFolded);
  const name = steps.at(-1) ?? "";
  if (names.has(name) || name.endsWith(".code-workspace")) return true;
  // A bare repository, or one that somebody is building: git obeys its settings and runs its hooks.
  if (steps.at(-2) === "hooks" || (name === "config" && steps.length > 1)) return true;
  return steps.some((step, at) => folders.has(step) || folderPairs.has(`${step}/${steps[at + 1] ?? ""}`));
}

/** What a call names: paths of files, and ids of blocks that may be files. */
export interface NamedFiles {
  readonly paths: readonly string[];
  readonly blockIds: readonly string[];
}

const pathKeys: ReadonlySet<string> = new Set(["path", "to", "file_path", "move_to"]);
const blockKeys: ReadonlySet<string> = new Set(["block_id", "canvas_id"]);

/** Finds the files that the parameters of any tool name, at any depth. */
export function filesNamed(parameters: JsonObject): NamedFiles {
  const paths: string[] = [];
  const blockIds: string[] = [];
  const look = (value: unknown): void => {
    if (value === null || typeof value !== "object") return;
    for (const [key, each] of Object.entries(value)) {
      if (typeof each !== "string") look(each);
      else if (pathKeys.has(key)) paths.push(each);
      else if (blockKeys.has(key)) blockIds.push(each);
    }
  };
  look(parameters);
  return { paths, blockIds };
}
