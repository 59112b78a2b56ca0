import type { Access } from "../../src/core/protocol/base/access.ts";
import { commands } from "../../src/core/protocol/commands.ts";
import { verbRow, verbs, type Verb } from "../../src/core/rights/verb-table.ts";

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
  ].join("\n");
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
const given = ["document", "conversation", "folder"].map((type) => ({ on: { type, id: "id" } }));
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
