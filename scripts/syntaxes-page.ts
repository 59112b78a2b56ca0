import { unreachable } from "../src/core/base/assert.ts";
import type { Grammar, Token } from "../src/core/syntax/base/grammar.ts";
import type { Syntax } from "../src/core/syntax/base/syntax.ts";
import { syntaxes } from "../src/core/syntax/registry.ts";
import { writeCalls } from "../src/core/syntax/write/write-calls.ts";

const tableMark = "<!-- The table of dialects: `node scripts/syntaxes.ts --write` writes it. -->";
const examplesMark = "<!-- The examples: `node scripts/syntaxes.ts --write` writes them. -->";

/** Returns the page about syntaxes with its generated parts as the table of syntaxes is now. */
export function syntaxesPage(page: string): string {
  const [before = "", rest = ""] = page.split(`${tableMark}\n`);
  const between = rest.slice(rest.indexOf("\n## "));
  const [middle = ""] = between.split(examplesMark);
  return `${before}${tableMark}\n\n${table()}\n${middle}${examplesMark}\n\n${examples()}`;
}

function table(): string {
  const rows = syntaxes.map((syntax) =>
    [
      `${syntax.title} (\`${syntax.id}\`)`,
      syntax.models ?? "",
      marksOf(syntax),
      reasoningOf(syntax),
      roundsOf(syntax),
      (syntax.sources ?? []).map((url, index) => `[${index + 1}](${url})`).join(" "),
    ].join(" | "),
  );
  const head = ["dialect", "models", "marks", "reasoning", "calls in a reply", "source"].join(" | ");
  return [`| ${head} |`, "| --- | --- | --- | --- | --- | --- |", ...rows.map((row) => `| ${row} |`)].join("\n");
}

function code(text: string): string {
  const shown = text
    .trim()
    .replaceAll(/\s*\n\s*/g, " ")
    .replaceAll("|", "\\|");
  return shown === "" ? "" : shown.includes("`") ? `\`\` ${shown} \`\`` : `\`${shown}\``;
}

/** How a call is written, with `…` for what belongs to it. */
function marksOf({ writing }: Syntax): string {
  switch (writing.type) {
    case "native":
      return "none: the calls are separate";
    case "caret":
      return code("^^^{name} … ^^^");
    case "json": {
      const inside = writing.keys === null ? "{…}" : `{"${writing.keys.name}": …, "${writing.keys.arguments}": …}`;
      return code(`${writing.wrapper[0]}${writing.call[0]}${inside}${writing.call[1]}${writing.wrapper[1]}`);
    }
    case "fields": {
      const { wrapper, call, field } = writing;
      return code(`${wrapper[0]}${call[0]}${field[0]}…${field[1]}${call[1]}${wrapper[1]}`);
    }
    case "arguments": {
      const { wrapper, call, assign, quotes } = writing;
      return code(`${wrapper[0]}${call[0]}{key}${assign}${quotes[0]}…${quotes[1]}${call[1]}${wrapper[1]}`);
    }
    default:
      return unreachable(writing);
  }
}

function textOf(tokens: readonly Token[]): string {
  return tokens.map((token) => (typeof token === "string" ? token : "")).join("");
}

function reasoningOf({ grammar }: Syntax): string {
  if (grammar === null) return "";
  const state = grammar.states[grammar.startInReasoning ?? ""];
  if (state?.type !== "reasoning") return "";
  const open = grammar.openings.find(({ to }) => to === grammar.startInReasoning) ?? opensChannel(grammar);
  return `${code(textOf(open?.on ?? []))} ${code(textOf(state.ends[0]?.on ?? []))}`.trim();
}

/** The mark before a reasoning that begins in a header. */
function opensChannel({ states }: Grammar): { readonly on: readonly Token[] } | undefined {
  const header = states["header"];
  return header?.type === "choice" ? { on: ["<|channel|>analysis<|message|>"] } : undefined;
}

function roundsOf({ tier, rounds }: Syntax): string {
  return tier === "native" || rounds === "parallel" ? "several" : "one";
}

const sampleTool = {
  name: "write_file",
  description: "",
  inputSchema: { type: "object", properties: { path: { type: "string" }, content: { type: "string" } } },
} as const;

function examples(): string {
  return syntaxes
    .map((syntax) => {
      const parameters = { path: "notes.md", content: "# Title\nBody" };
      const written = writeCalls(syntax, [{ name: sampleTool.name, parameters }], [sampleTool]);
      return `### ${syntax.title} (\`${syntax.id}\`)\n\n\`\`\`\`text\n${written.ok ? written.value : ""}\n\`\`\`\`\n`;
    })
    .join("\n");
}
