import { spawn } from "node:child_process";
import { once } from "node:events";
import { writeFile } from "node:fs/promises";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { temporaryDirectory } from "../e2e/server-process.ts";
import { runCommandLine } from "../../src/host/cli/run.ts";
import { repository } from "../tidy/source-files.ts";
import { llamaCpp, ollama, type ServerKind, silent, startLocalServer, vllm, wholeAnswer } from "./local-server.ts";

interface Ended {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

type Heddle = (args: readonly string[], env: Readonly<Record<string, string>>) => Promise<Ended>;

/** The program as a new user starts it: the README's variables, an empty data folder, nothing else. */
const inItsOwnProcess: Heddle = (args, env) =>
  withNewUser(async (own) => {
    const kept = Object.entries(process.env).filter(([name]) => !/^(?:HEDDLE_|ANTHROPIC_|OPENAI_|GEMINI_)/.test(name));
    const child = spawn(process.execPath, [join(repository, "bin/heddle.js"), ...args], {
      env: { ...Object.fromEntries(kept), ...own, HEDDLE_NO_BUILD: "1", NO_COLOR: "1", ...env },
      stdio: ["ignore", "pipe", "pipe"],
    });
    const output = { out: "", err: "" };
    child.stdout.setEncoding("utf8").on("data", (piece: string) => (output.out += piece));
    child.stderr.setEncoding("utf8").on("data", (piece: string) => (output.err += piece));
    const [code] = (await once(child, "close")) as [number | null];
    return { code, ...output };
  });

/** The same command line in this process, which starts in a tenth of the time. */
const here: Heddle = (args, env) =>
  withNewUser(async (own) => {
    const output = { out: "", err: "" };
    const code = await runCommandLine(args, {
      print: (line) => void (output.out += `${line}\n`),
      note: (line) => void (output.err += `${line}\n`),
      input: async () => "",
      env: { ...own, ...env },
      isInteractive: false,
      colours: false,
    });
    return { code, ...output };
  });

async function withNewUser(run: (own: Readonly<Record<string, string>>) => Promise<Ended>): Promise<Ended> {
  const folder = await temporaryDirectory();
  try {
    return await run({ HEDDLE_DATA: join(folder.path, "data"), XDG_CONFIG_HOME: folder.path });
  } finally {
    await folder.remove();
  }
}

async function asked(
  kind: ServerKind,
  args: readonly string[] = [],
  env: Readonly<Record<string, string>> = {},
  heddle: Heddle = here,
) {
  const server = await startLocalServer(kind);
  try {
    const named = { HEDDLE_OPENAI_BASE_URL: server.url, HEDDLE_OPENAI_MODEL: "house", ...env };
    const ended = await heddle(["run", "--quiet", "What do looms do?", ...args], named);
    return { ...ended, bodies: server.bodies };
  } finally {
    await server.close();
  }
}

describe("14.15 the README's start for a server of one's own gives a whole answer", () => {
  test.each<ServerKind>([
    vllm(4_096),
    vllm(8_192),
    vllm(32_768),
    llamaCpp(4_096),
    llamaCpp(8_192),
    ollama(4_096),
    ollama(8_192),
    silent(6_144),
    silent(8_192),
    silent(16_384),
  ])("$name", async (kind) => {
    const { code, out, err, bodies } = await asked(kind);
    expect([code, out, err]).toEqual([0, `${wholeAnswer}\n`, ""]);
    const [body] = bodies;
    expect(body?.max_tokens ?? kind.window).toBeGreaterThanOrEqual(1_024);
  });

  test("also as a program of its own", async () => {
    const { code, out, err } = await asked(llamaCpp(4_096), [], {}, inItsOwnProcess);
    expect([code, out, err]).toEqual([0, `${wholeAnswer}\n`, ""]);
  });

  test("a server whose window is unknown gets no limit for the reply", async () => {
    const { bodies } = await asked(silent(32_768));
    expect(bodies).toHaveLength(1);
    expect(bodies[0]).not.toHaveProperty("max_tokens");
  });

  test("the refusal of a silent server teaches the window, and what is sent then fits it", async () => {
    const { code, bodies } = await asked(silent(500));
    const hadTools = bodies.map(({ tools = [] }) => tools.length > 0);
    expect([code, hadTools[0], hadTools.at(-1)]).toEqual([0, true, false]);
  });

  test("a window without any room is refused in words, with the figures", async () => {
    const { code, err, bodies } = await asked(vllm(250));
    expect([code, bodies]).toEqual([1, []]);
    expect(err).toMatch(/leaves no room for a reply.*window has 250 tokens.*Nothing was sent/s);
  });

  test("--when-full clamp sends it all the same, as the founding design has it", async () => {
    const { bodies } = await asked(ollama(400), ["--when-full", "clamp"]);
    expect(bodies[0]?.max_tokens).toBeGreaterThanOrEqual(1);
  });

  test.each<[string, readonly string[], Readonly<Record<string, string>>]>([
    ["a flag", ["--context-window", "4096"], {}],
    ["a variable", [], { HEDDLE_CONTEXT_WINDOW: "4096" }],
  ])("the window can be set by %s", async (_name, args, env) => {
    const { code, out, bodies } = await asked(silent(4_096), args, env);
    expect([code, out]).toEqual([0, `${wholeAnswer}\n`]);
    expect(bodies).toHaveLength(1);
  });

  test("the model need not be named: the server is asked for it", async () => {
    const { code, out, bodies } = await asked(vllm(32_768), [], { HEDDLE_OPENAI_MODEL: "" });
    expect([code, out]).toEqual([0, `${wholeAnswer}\n`]);
    expect(bodies[0]?.model).toBe("house");
  });
});

describe("14.19 the flags of run", () => {
  test("set the system prompt and the tools of the conversation", async () => {
    const { code, bodies } = await asked(vllm(32_768), [
      "--system",
      "You are a pirate.",
      "--tools-off",
      "canvas,blocks,files,shell,kernel_search,ask_user,spawn_sub_agents,more_tools",
    ]);
    expect(code).toBe(0);
    expect(String(bodies[0]?.messages[0]?.content)).toMatch(/^You are a pirate\./);
    expect(bodies[0]?.tools ?? []).toEqual([]);
  });

  test.each([
    [["--thinking", "some"], "--thinking takes off, low, medium, high"],
    [["--system", "@nobody"], "No prompt is named nobody"],
    [["--fallback", "no/where"], 'There is no provider "no"'],
  ])("%j is refused with the reason, and nothing is sent", async (args, words) => {
    const { code, err, bodies } = await asked(vllm(32_768), args);
    expect([code === 0, bodies]).toEqual([false, []]);
    expect(err).toContain(words);
  });
});

test("14.20 a server that is overloaded gives way to the next, and the terminal says so", async () => {
  const body = { error: { message: "The engine is overloaded.", type: "overloaded_error" } };
  const busy = await startLocalServer({ ...vllm(32_768), refuse: () => ({ status: 529, body }) });
  const other = await startLocalServer(vllm(32_768));
  const folder = await temporaryDirectory();
  try {
    const entry = (provider: string, url: string) => ({ provider, id: "house", api: "openai-chat", base_url: url });
    const models = join(folder.path, "models.json");
    const aliases = { reliable: ["busy/house", "other/house"] };
    await writeFile(models, JSON.stringify({ models: [entry("busy", busy.url), entry("other", other.url)], aliases }));
    const ask = (...args: readonly string[]) => here(["run", "What do looms do?", "--models", models, ...args], {});
    for (const args of [
      ["--model", "busy/house", "--fallback", "other/house"],
      ["--model", "alias/reliable"],
    ]) {
      const { code, out, err } = await ask(...args);
      expect([code, out]).toEqual([0, `${wholeAnswer}\n`]);
      expect(err).toContain("busy/house did not answer: The engine is overloaded. other/house answers instead.");
    }
    expect(busy.bodies).toHaveLength(6);
  } finally {
    await Promise.all([busy.close(), other.close(), folder.remove()]);
  }
});
