import { expect, test } from "vitest";
import { filesNamed, isRunByOthers } from "./run-by-others.ts";

test.each([
  ".husky/pre-commit",
  "web/.husky/_/husky.sh",
  ".githooks/post-merge",
  "mirror.git/hooks/pre-receive",
  "mirror.git/config",
  ".envrc",
  "packages/x/.ENVRC",
  ".vscode/tasks.json",
  "a.code-workspace",
  ".mcp.json",
  "AGENTS.md",
  "docs/Claude.md",
  ".github/workflows/ci.yml",
  ".npmrc",
  ".gitattributes",
  ".devcontainer.json",
  "package.json",
  "packages/x/package.json",
  "pnpm-workspace.yaml",
  ".yarn/plugins/evil.cjs",
  ".gitlab/ci/build.yml",
  ".idea/runConfigurations/all.xml",
  ".github/instructions/all.instructions.md",
  ".roo/mcp.json",
  ".github/x/../workflows/ci.yml",
  ".github//./workflows/ci.yml",
  ".v\u017Fcode/tasks.json",
  ".gitcon\uFB01g",
  "HUSKY~1/pre-commit",
])("58: %s is run or obeyed by other programs", (path) => expect(isRunByOthers(path)).toBe(true));

test.each([
  "README.md",
  "src/config.ts",
  "config",
  "src/hooks.ts",
  "src/hooks/deep/use.ts",
  ".github/ISSUE.md",
  "envrc",
  "husky/a",
])("%s is an ordinary file", (path) => expect(isRunByOthers(path)).toBe(false));

test("the files that a call names are found at any depth", () => {
  const files = [{ path: "b", patch: "path" }, { path: "c" }];
  expect(filesNamed({ path: "a", to: "d", files, block_id: "block_1", metadata: { path: "e" }, text: "f" })).toEqual({
    paths: ["a", "d", "b", "c", "e"],
    blockIds: ["block_1"],
    leaseIds: [],
  });
  const others = { lease_id: "lease_1", paths: ["a", "b"], newPath: "c", uri: "d", destination: "e", filename: "f\ng" };
  expect(filesNamed(others)).toEqual({ paths: ["a", "b", "c", "d", "e"], blockIds: [], leaseIds: ["lease_1"] });
});

test("the files that parameters name are found beside empty and nested ones", () => {
  expect(filesNamed({ path: "a", none: null, many: [{ path: "b" }, 5] }).paths).toEqual(["a", "b"]);
});
