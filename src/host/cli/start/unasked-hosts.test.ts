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
])("with %s, people are warned about what commands send unasked: %s %j", (_name, change, warned) => {
  const warning = unaskedHosts({ ...risky, ...change });
  expect(warning === null ? null : warning.includes("registry.npmjs.org, *.example.org:443")).toBe(
    warned ? true : null,
  );
});

test("without a chosen tier there is no warning, since calls that reach outside ask a person", () => {
  const { approvals: _tier, ...rest } = risky;
  expect(unaskedHosts(rest)).toBeNull();
});
