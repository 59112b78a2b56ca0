import { existsSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { errorTable } from "../../src/core/base/errors.ts";
import { generalHelp } from "../../src/host/cli/general-help.ts";
import { mcpTools } from "../../src/host/server/mcp/mcp-tools.ts";
import { repository } from "./source-files.ts";

const read = (path: string): string => readFileSync(join(repository, path), "utf8");
const skill = read("skills/heddle/SKILL.md");

test("the skill has the front matter by which agents find it", () => {
  const [, name, description = ""] = /^---\nname: (\S+)\ndescription: (.+)\n---\n/.exec(skill) ?? [];
  expect(name).toBe("heddle");
  expect(description.length).toBeLessThan(1024);
});

test("every tool, code and command that the skill names exists", () => {
  const named = [...skill.matchAll(/`((?:canvas|document|search|comment|conversation)_[a-z_]+)/g)].map(
    ([, tool]) => tool,
  );
  const tools = new Set(mcpTools.map(({ name }) => name));
  expect(named.filter((tool) => !tools.has(tool ?? "") && tool !== "canvas_id")).toEqual([]);
  expect(named.length).toBeGreaterThan(10);
  const codes = [...skill.matchAll(/`([A-Z]+(?:_[A-Z]+)+|FORBIDDEN)`/g)].map(([, code]) => code ?? "");
  expect(codes.filter((code) => !(code in errorTable))).toEqual([]);
  const commands = [...skill.matchAll(/^heddle (\w+)/gm)].map(([, command]) => command ?? "");
  expect(commands.filter((command) => !new RegExp(`^  ${command} `, "m").test(generalHelp))).toEqual([]);
});

test("llms.txt links to every page of the documentation, and to nothing that is missing", () => {
  const links = [...read("llms.txt").matchAll(/\]\(([^)]+)\)/g)].map(([, path]) => path ?? "");
  expect(links.filter((path) => !existsSync(join(repository, path)))).toEqual([]);
  const pages = ["docs", "docs/library"].flatMap((folder) =>
    readdirSync(join(repository, folder))
      .filter((name) => name.endsWith(".md"))
      .map((name) => `${folder}/${name}`),
  );
  expect(pages.filter((page) => !links.includes(page))).toEqual([]);
});
