import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, test } from "vitest";
import { syntaxes } from "../../core/syntax/registry.ts";
import { runCommandLine } from "./run.ts";

let folder = "";
beforeAll(async () => {
  folder = await mkdtemp(join(tmpdir(), "heddle-syntax-"));
});
afterAll(() => rm(folder, { recursive: true, force: true }));

async function run(input: string, ...args: string[]): Promise<{ code: number; printed: string; noted: string }> {
  const said = { printed: "", noted: "" };
  const code = await runCommandLine(["syntax", ...args], {
    print: (line) => void (said.printed += `${line}\n`),
    note: (line) => void (said.noted += `${line}\n`),
    input: async () => input,
    env: {},
    isInteractive: false,
    colours: false,
  });
  return { code, ...said };
}

async function file(content: unknown): Promise<string> {
  const path = join(folder, "given.json");
  await writeFile(path, JSON.stringify(content));
  return path;
}

test("syntax list prints every syntax by the name that --tool-syntax takes", async () => {
  const { code, printed } = await run("", "list");
  expect([
    code,
    printed
      .trimEnd()
      .split("\n")
      .map((line) => line.split(" ")[0]),
  ]).toEqual([0, syntaxes.map(({ id }) => id)]);
  expect(JSON.parse((await run("", "list", "--json")).printed)).toHaveLength(syntaxes.length);
});

test("syntax try prints the recognised fragments of a reply, with their lines", async () => {
  const reply = "I look.\n^^^canvas_read_lines\nlease_id: l\nstart_line: 1\nend_line: 3\n^^^\n";
  expect(await run(reply, "try", "caret")).toEqual({
    code: 0,
    noted: "",
    printed: [
      '    1  text     "I look."',
      '    2  call     canvas_read_lines {"lease_id":"l","start_line":1,"end_line":3}',
      "",
    ].join("\n"),
  });
});

test("syntax try prints why a fragment is not a call, and exits with 1", async () => {
  const { code, printed } = await run(
    "see ^^^canvas_check_out\n\n```\n^^^canvas_check_out\n^^^\n```\n",
    "try",
    "caret",
  );
  expect(code).toBe(1);
  expect(printed).toMatch(/ 1 {2}not read .*first column/);
  expect(printed).toMatch(/ 4 {2}not read .*fenced code block/);
});

test("syntax try prints the answer to a call that does not match the tools of a file", async () => {
  const tools = await file([
    {
      type: "function",
      function: { name: "look", parameters: { type: "object", properties: { n: { type: "integer" } } } },
    },
  ]);
  const reply = "<tool:look>\n<param:n>one</param:n>\n</tool:look>";
  const { code, printed } = await run(reply, "try", "xml", "--tools", tools, "--json");
  expect(code).toBe(1);
  expect(JSON.parse(printed)).toMatchObject({
    ok: false,
    rows: [{ type: "error", line: 1, name: "look", code: "BAD_TYPE" }],
  });
  expect((await run(reply, "try", "xml")).printed).toContain("Unknown tool: look");
});

test("14.10 syntax try reads as a conversation does, under the named policy, and a reply that was cut off", async () => {
  const two = "^^^canvas_check_out\n^^^\n^^^canvas_check_out\n^^^\n";
  expect((await run(two, "try", "caret", "--policy", "serial-all")).code).toBe(0);
  expect(await run(two, "try", "caret")).toMatchObject({
    code: 1,
    printed: expect.stringContaining("allows no further call"),
  });
  expect((await run("^^^canvas_check_out\n^^^", "try", "caret", "--cut")).printed).toContain("TRUNCATED_CALL");
});

test("syntax try reads by a model's own template", async () => {
  const template = await file({
    response_template: {
      fields: {
        tool_calls: {
          open: "<c>",
          close: "</c>",
          content: "json",
          transform: { type: "function", function: "{content}" },
        },
        content: {},
      },
    },
  });
  const reply = '<c>{"name": "canvas_check_out", "arguments": {}}</c>';
  expect((await run(reply, "try", "--template", template)).printed).toContain("call     canvas_check_out {}");
});

test.each<[string, readonly string[], string]>([
  ["an unknown syntax", ["try", "carot"], "Did you mean caret?"],
  ["no syntax", ["try"], "heddle syntax list"],
  ["native calls", ["try", "native"], "separate from the text"],
  ["an unknown policy", ["try", "xml", "--policy", "two"], "There is no policy"],
  ["a missing file", ["try", "xml", "--tools", "/nonexistent"], "could not be read"],
  ["an unknown subcommand", ["tri", "xml"], 'not "tri"'],
  ["an extra argument", ["try", "xml", "caret"], "and another name"],
])("syntax refuses %s with a helpful sentence", async (_name, args, expected) => {
  const { code, printed, noted } = await run("", ...args);
  expect([code > 0, printed]).toEqual([true, ""]);
  expect(noted).toContain(expected);
});

test("syntax --help shows how to use the command", async () => {
  expect((await run("", "--help")).printed).toContain("heddle syntax try caret < reply.txt");
});

test("15.8 syntaxes of the data folder are listed and tried by name, and a bad file is named", async () => {
  await mkdir(join(folder, "syntaxes"), { recursive: true });
  const mine = { id: "mine", title: "Mine", calls: "json", call: ["[DO]", "[END]"], prompt: "Call." };
  await writeFile(join(folder, "syntaxes", "mine.json"), JSON.stringify(mine));
  await writeFile(join(folder, "syntaxes", "bad.json"), JSON.stringify({ ...mine, calls: "no" }, null, 2));
  const { code, printed, noted } = await run("", "list", "--data", folder);
  expect([code, printed.trimEnd().split("\n").at(-1), noted]).toEqual([
    0,
    expect.stringContaining("mine"),
    expect.stringContaining("syntaxes/bad.json: line 4: calls: must be"),
  ]);
  const reply = '[DO]{"name": "canvas_outline", "arguments": {"lease_id": "l"}}[END]';
  expect(await run(reply, "try", "mine", "--data", folder)).toMatchObject({
    code: 0,
    printed: expect.stringContaining("canvas_outline {"),
  });
  expect(await run(reply, "try", "--file", await file(mine))).toMatchObject({
    code: 0,
    printed: expect.stringContaining("canvas_outline {"),
  });
});

test("15.9 syntax recognise prints the syntax of a chat template", async () => {
  const chat_template =
    "<tool_call>\n<function={{ n }}>\n<parameter={{ k }}>\n{{ v }}\n</parameter>\n</function>\n</tool_call>";
  expect(await run("", "recognise", "--template", await file({ chat_template }))).toEqual({
    code: 0,
    printed: "qwen-xml\n",
    noted: "",
  });
  expect(await run("", "recognise", "--template", await file({ chat_template: "{{ m }}" }))).toMatchObject({
    code: 1,
    printed: "",
  });
  expect(await run("", "recognise")).toMatchObject({ code: 2 });
});
