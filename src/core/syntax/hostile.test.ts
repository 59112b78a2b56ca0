import { expect, test } from "vitest";
import { must } from "../base/assert.ts";
import { syntaxes } from "./registry.ts";
import { scan } from "./scan.ts";
import { outcome, summary, tools } from "./base/syntax.test-support.ts";
import { writeCalls } from "./write/write-calls.ts";

const read = (id: string, reply: string): readonly unknown[] => {
  const grammar = must(
    must(
      syntaxes.find((one) => one.id === id),
      id,
    ).grammar,
    "it is text",
  );
  return summary(scan(grammar, reply, { tools, policy: "serial-all" }));
};

test("values nested too deep are errors in every form", () => {
  const deep = `${"[".repeat(100_000)}${"]".repeat(100_000)}`;
  expect(read("hermes", `<tool_call>{"name": "read_files", "arguments": {"paths": ${deep}}}</tool_call>`)).toEqual([
    { error: "MALFORMED_CALL" },
  ]);
  expect(read("xml", `<tool:read_files><param:paths>${deep}</param:paths></tool:read_files>`)).toEqual([
    { error: "BAD_TYPE" },
  ]);
  expect(read("caret", `^^^read_files\npaths: !json ${deep}\n^^^`)).toEqual([{ error: "BAD_TYPE" }]);
  expect(read("lfm2", `<|tool_call_start|>[read_files(paths=${deep})]<|tool_call_end|>`)).toEqual([
    { error: "BAD_TYPE" },
  ]);
});

test.each(syntaxes.filter((one) => one.grammar !== null).map((one) => one.id))(
  "%s: 300 kB of its own openings, or of garbage in a call, is read in time",
  (id) => {
    const grammar = must(
      must(
        syntaxes.find((one) => one.id === id),
        id,
      ).grammar,
      "it is text",
    );
    const [mark = "<"] = grammar.openings.flatMap((opening) => opening.on.filter((token) => typeof token === "string"));
    const started = process.cpuUsage();
    read(id, mark.slice(0, -1).repeat(300_000 / mark.length));
    read(id, `^^^write_file\n${"rubbish\n".repeat(20_000)}`);
    read(id, `<tool:write_file>${"x<".repeat(80_000)}`);
    const { user, system } = process.cpuUsage(started);
    expect((user + system) / 1_000).toBeLessThan(1_500);
  },
);

test("a number that overflows is refused in every form", () => {
  const error = [{ error: "BAD_TYPE" }];
  for (const value of ["1e400", "[1e400]", '{"a": -1e400}']) {
    const json = `{"name": "list_projects", "arguments": {"other": ${value}}}`;
    expect(read("hermes", `<tool_call>${json}</tool_call>`), value).toEqual(error);
    expect(read("caret", `^^^list_projects\nother: !json ${value}\n^^^`), value).toEqual(error);
  }
});

test("a JSON value with a duplicate key is refused", () => {
  expect(read("caret", '^^^list_projects\nother: !json {"a": 1, "\\u0061": 2}\n^^^')).toEqual([{ error: "BAD_TYPE" }]);
});

test("a parameter repeated a hundred thousand times is read in time", () => {
  const started = process.cpuUsage();
  read("xml", `<tool:read_files>${"<param:path>x</param:path>".repeat(100_000)}</tool:read_files>`);
  const { user, system } = process.cpuUsage(started);
  expect((user + system) / 1_000).toBeLessThan(5_000);
});

test.each([
  ["xml", "<tool:list_projects></tool:list_projects>"],
  ["hermes", '<tool_call>{"name": "list_projects", "arguments": {}}</tool_call>'],
])("%s: a call in a list's fence is text, and a call after the fence is a call", (id, call) => {
  for (const listed of [`- \`\`\`\n  ${call}\n  \`\`\`\n`, `10. So:\n\n    ~~~\n    ${call}\n    ~~~\n`]) {
    expect(outcome(id, `${listed}${call}`)).toEqual([listed, { list_projects: {} }]);
  }
});

test("marks behind a call on its line begin no fence, and those on the next line do", () => {
  const call = '<tool_call>\n{"name": "list_projects", "arguments": {}}\n</tool_call>';
  const listed = { list_projects: {} };
  expect(outcome("hermes", `${call}\`\`\`\n${call}\n\`\`\``)).toEqual([listed, "```\n", listed, "\n```"]);
  const fenced = `\n\`\`\`\n${call}\n\`\`\``;
  expect(outcome("hermes", `${call}${fenced}`)).toEqual([listed, fenced]);
});

test.each([
  ["hermes", '<tool_call>{"name": "list_projects", "arguments": {}}</tool_call>'],
  ["qwen-xml", "<tool_call>\n<function=list_projects>\n</function>\n</tool_call>"],
  ["glm", "<tool_call>list_projects</tool_call>"],
  ["minimax", '<minimax:tool_call>\n<invoke name="list_projects">\n</invoke>\n</minimax:tool_call>'],
])("%s: a call in a block quote is text, and a call after the quote is a call", (id, call) => {
  const lines = call.replaceAll("\n", "\n> ");
  for (const quoted of [`> ${lines}\n`, `They wrote:\n> run ${lines} now\n\n`, `- > ${lines}\n`]) {
    expect(outcome(id, `${quoted}${call}`)).toEqual([quoted, { list_projects: {} }]);
  }
});

test("a mark that is one token of the model opens a call even after a block quote's last word", () => {
  expect(outcome("granite", '> as you said<|tool_call|>[{"name": "list_projects", "arguments": {}}]')).toEqual([
    "> as you said",
    { list_projects: {} },
  ]);
});

test("a backslash without an escape stays in Python strings, in lists as well", () => {
  const call = String.raw`[read_files(project='\d+\n\'\\', paths=['\w\.ts'])]`;
  expect(outcome("pythonic", call)).toEqual([
    { read_files: { project: String.raw`\d+` + "\n'\\", paths: [String.raw`\w\.ts`] } },
  ]);
});

test.each([" ", "\t"])("a value of two hundred thousand %j is read in time, in one piece", (blank) => {
  const started = process.cpuUsage();
  read("caret", `^^^search_files\nregex: a${blank.repeat(200_000)}b\n^^^`);
  read("qwen-xml", `<tool_call><function=search_files>${blank.repeat(200_000)}`);
  const { user, system } = process.cpuUsage(started);
  expect((user + system) / 1_000).toBeLessThan(5_000);
});

test("a value with 200,000 lines of carets is written and read back", () => {
  const caret = must(
    syntaxes.find(({ id }) => id === "caret"),
    "there is caret",
  );
  const call = { name: "write_file", parameters: { content: "^\n".repeat(200_000) } };
  const written = writeCalls(caret, [call], tools);
  expect(read("caret", written.ok ? written.value : "")).toEqual([{ write_file: call.parameters }]);
});
