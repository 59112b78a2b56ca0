import type { Access } from "../../src/core/protocol/base/access.ts";
import { commands } from "../../src/core/protocol/commands.ts";
import { isAtLeast, roles } from "../../src/core/rights/role.ts";
import type { Right } from "../../src/core/rights/token-right.ts";
import { verbRow, verbs, type Verb } from "../../src/core/rights/verb-table.ts";

import { mcpTools } from "../../src/host/server/mcp/mcp-tools.ts";
import { roleByTool } from "../../src/host/server/mcp/tool-roles.test-support.ts";

/** Writes `docs/rights.md`: the table of verbs, with the commands that need each. */
export function rightsPage(): string {
  const kinds = [...new Set(verbs.map(kindOf))];
  const chapters = kinds.flatMap((kind) => [
    `## ${kind.charAt(0).toUpperCase()}${kind.slice(1)}`,
    "",
    "| verb | may | from role | scoped token | commands |",
    "| --- | --- | --- | --- | --- |",
    ...verbs.filter((verb) => kindOf(verb) === kind).map(lineOf),
    "",
  ]);
  return [
    "# Rights",
    "",
    "What each request needs. Made from [the table of verbs](../src/core/rights/verb-table.ts): `node scripts/rights.ts --write`;",
    "[how a question is decided](../src/core/rights/SPEC.md). Whoever has the workspace's own token is an owner of everything, as long as",
    "one person uses Heddle on their machine. A scoped token allows what its column names, and only where it reaches.",
    "",
    "Roles, each with all that the ones before it may do: viewer, commenter, editor, owner. *Own* is enough for what one made oneself;",
    "*link* is open to the holder of a share link; *fresh* asks for a sign-in of the last ten minutes.",
    "",
    ...chapters,
    "## Commands and roles",
    "",
    "Each command as each role on what it names, where ● may and · is refused; without any role the object is answered as one that",
    "does not exist. `src/host/server/rights-matrix.test.ts` tries every cell through a server. A command may ask for more of what else",
    "it names: a move needs the right to give away at one end and to create at the other.",
    "",
    `| command | of | ${[...roles, "link"].join(" | ")} | scoped token |`,
    `| --- | --- |${roles.map(() => " --- |").join("")} --- | --- |`,
    ...accesses.map(([verb, name]) => commandLine(verb, name)),
    "",
    "## Tools for programs and roles",
    "",
    "Each tool of [MCP](mcp.md) as the program of a person with each role on what it names, or on the workspace. Tools that list or search",
    "show what the person may see; without any role what a tool names is answered as something that does not exist. The last column is",
    "what the program's token must allow besides. `src/host/server/mcp/team-matrix.test.ts` tries every cell through a server.",
    "",
    `| tool | ${roles.join(" | ")} | token |`,
    `| --- |${roles.map(() => " --- |").join("")} --- |`,
    ...mcpTools.map(({ name, right }) => toolLine(name, right)),
    "",
  ].join("\n");
}

function commandLine(verb: Verb, name: string): string {
  const { role, own, token, fresh, account } = verbRow(verb);
  const cells = roles.map((each) => {
    if (isAtLeast(each, role)) return fresh ? "● fresh" : "●";
    return own !== undefined && isAtLeast(each, own) ? "own" : "·";
  });
  const of = account ? `${kindOf(verb)}, also without a role` : kindOf(verb);
  // The holder of a link asks two addresses of their own, and sends no command.
  return `| \`${name}\` | ${of} | ${cells.join(" | ")} | · | ${token ?? "·"} |`;
}

function toolLine(name: string, right: Right): string {
  const lowest = roleByTool[name];
  const cells = roles.map((role) => (lowest !== undefined && isAtLeast(role, lowest) ? "●" : "·"));
  return `| \`${name}\` | ${cells.join(" | ")} | ${right} |`;
}

function lineOf(verb: Verb): string {
  const { covers, role, own, token, link, fresh } = verbRow(verb);
  const from = [
    role,
    ...(own === undefined ? [] : [`own: ${own}`]),
    ...(link ? ["link"] : []),
    ...(fresh ? ["fresh"] : []),
  ];
  return `| ${verb} | ${covers} | ${from.join(", ")} | ${token ?? "none"} | ${(commandsByVerb.get(verb) ?? []).join(", ")} |`;
}

function kindOf(verb: Verb): string {
  return verb.slice(0, verb.indexOf("."));
}

// Without a conversation among the parameters, some commands are about the workspace; others name what they are about.
const given = ["document", "conversation", "folder"].map((type) => ({
  on: { type, id: "id" },
  from: { blockId: "id" },
}));
const accesses = Object.entries(commands).flatMap(([name, row]) => {
  const access = row.access as (params: object) => Access;
  return [
    ...new Set(
      given.flatMap((params) => [access(params), access({ ...params, rootId: "root" })]).map(([verb]) => verb),
    ),
  ].map((verb) => [verb, name] as const);
});
const commandsByVerb = new Map(
  verbs.map((verb) => [verb, accesses.flatMap(([each, name]) => (each === verb ? [`\`${name}\``] : []))]),
);
