import { expect, test } from "vitest";
import type { Configuration } from "../../data/configuration.ts";
import { unaskedHosts } from "./unasked-hosts.ts";

type Given = Parameters<typeof unaskedHosts>[0];
const risky: Given = { approvals: "none", shell: "on", shellHosts: ["registry.npmjs.org", "*.example.org:443"] };

test.each<[string, Partial<Pick<Configuration, "approvals" | "shell" | "shellHosts">>, boolean]>([
  ["no call asks and hosts are open", {}, true],
  ["calls that reach outside ask", { approvals: "outward" }, false],
  ["every call asks", { approvals: "all" }, false],
  ["no host is open", { shellHosts: [] }, false],
  ["agents run no commands", { shell: "off" }, false],
])("where %s, people are warned of what commands send unasked: %s %j", (_name, change, warned) => {
  const said = unaskedHosts({ ...risky, ...change });
  expect(said === null ? null : said.includes("registry.npmjs.org, *.example.org:443")).toBe(warned ? true : null);
});

test("where nobody chose a tier, nobody need be warned: what reaches outside asks", () => {
  const { approvals: _tier, ...rest } = risky;
  expect(unaskedHosts(rest)).toBeNull();
});
