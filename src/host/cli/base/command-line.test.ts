import { existsSync } from "node:fs";
import { describe, expect, test } from "vitest";
import { readCommandLine, type CommandForm } from "./command-line.ts";
import { serveHelp } from "../help.ts";
import { runCommandLine } from "../run.ts";
import { chatForm, chatHelp } from "../chat/chat.ts";
import { runForm, runHelp } from "../one-shot/run-prompt.ts";
import { replayForm, replayHelp } from "../data/replay.ts";
import { traceForm, traceHelp } from "../data/trace.ts";
import { serveForm } from "../serve.ts";
import type { Terminal } from "./terminal.ts";

const serve: CommandForm = { name: "serve", values: ["port", "data"], switches: ["open", "json"] };
const doctor: CommandForm = { name: "doctor", values: [], switches: ["json"] };

function read(line: string): unknown {
  const result = readCommandLine(line.split(" ").filter(Boolean), [serve, doctor], serve);
  if (!result.ok) return result.error;
  const { command, values, switches } = result.value;
  return [command, values, [...switches]];
}

test.each([
  ["serve --port 0 --open", ["serve", { port: "0" }, ["open"]]],
  ["serve --port=7421", ["serve", { port: "7421" }, []]],
  ["--port 1", ["serve", { port: "1" }, []]],
  ["doctor --json -h", ["doctor", {}, ["json", "help"]]],
])("readCommandLine parses %s", (line, expected) => {
  expect(read(line)).toEqual(expected);
});

test.each([
  ["sevre", 'There is no command "sevre". Did you mean "serve"?'],
  ["doc", 'There is no command "doc". Did you mean "doctor"?'],
  ["quux", 'There is no command "quux".'],
  ["serve --prot 1", '"serve" has no flag --prot. Did you mean --port?'],
  ["serve --zzz", '"serve" has no flag --zzz.'],
  ["doctor --open", '"doctor" has no flag --open.'],
  ["serve --port", "--port needs a value."],
  ["serve --open=yes", "--open takes no value."],
  ["serve now", '"serve" takes no argument, but was given "now".'],
])("readCommandLine refuses %s with a helpful sentence", (line, expected) => {
  expect(read(line)).toBe(expected);
});

describe("a whole command line", () => {
  function run(...args: string[]): Promise<{ code: number; printed: string; noted: string }> {
    const output = { printed: "", noted: "" };
    const terminal: Terminal = {
      print: (line) => void (output.printed += `${line}\n`),
      note: (line) => void (output.noted += `${line}\n`),
      env: { HEDDLE_DATA: "/nonexistent/heddle", HEDDLE_PORT: "0" },
      input: async () => "",
      isInteractive: false,
      colours: false,
    };
    return runCommandLine(args, terminal).then((code) => ({ code, ...output }));
  }

  test("every way to ask for help prints it, examples first", async () => {
    for (const args of [["--help"], ["-h"], ["help"]]) {
      const { code, printed, noted } = await run(...args);
      expect([code, noted]).toEqual([0, ""]);
      expect(printed.indexOf("Examples")).toBeLessThan(printed.indexOf("Commands"));
    }
    expect((await run("serve", "--help")).printed).toContain("--allow-remote");
    expect((await run("help", "doctor")).printed).toContain("heddle doctor");
  });

  test("every flag named in the help exists", () => {
    const named = [...serveHelp.matchAll(/^ {2}--([a-z-]+)/gm)].map(([, flag]) => flag);
    expect(named).toHaveLength(serveForm.values.length + serveForm.switches.length);
    expect(new Set([...serveForm.values, ...serveForm.switches])).toEqual(new Set(named));
  });

  test.each([
    ["chat", chatHelp, chatForm],
    ["trace", traceHelp, traceForm],
    ["replay", replayHelp, replayForm],
    ["run", runHelp, runForm],
  ])("the help of %s names each of its flags, and no other", (_name, help, form) => {
    const named = new Set([...help.matchAll(/--([a-z-]+)/gu)].map(([, flag]) => flag));
    expect(named).toEqual(new Set([...form.values, ...form.switches]));
  });

  test("the version goes alone to standard output", async () => {
    expect(await run("--version")).toMatchObject({
      code: 0,
      printed: expect.stringMatching(/^\d+\.\d+\.\d+\n$/),
      noted: "",
    });
  });

  test("a mistake goes to standard error, with exit code 2", async () => {
    expect(await run("servr")).toMatchObject({ code: 2, printed: "" });
  });

  test("other machines get access only with both --host and --allow-remote", async () => {
    const { code, noted } = await run("serve", "--host", "0.0.0.0");
    expect([code, noted.includes("--allow-remote")]).toEqual([2, true]);
  });

  test("--documents git without --workspace is refused before anything is created", async () => {
    const { code, printed, noted } = await run("serve", "--documents", "git");
    expect([code, printed]).toEqual([2, ""]);
    expect(noted).toContain("--workspace DIR");
    expect(existsSync("/nonexistent/heddle")).toBe(false);
  });

  test("doctor says that a data folder is a file", async () => {
    const { code, printed } = await run("doctor", "--data", import.meta.filename);
    expect(code).toBe(1);
    expect(printed).toMatch(/failed +data folder +\S+command-line\.test\.ts is a file and not a folder\n/u);
  });

  test("doctor --json prints its findings as JSON", async () => {
    const { printed } = await run("doctor", "--json");
    const report = JSON.parse(printed) as { findings: { check: string; verdict: string }[] };
    expect(report.findings.map(({ check }) => check)).toEqual([
      "node",
      "sqlite",
      "data folder",
      "disk space",
      "lock",
      "database",
      "port",
      "web app",
      "models",
      "MCP servers",
      "sandbox",
      "approvals",
    ]);
  });
});
