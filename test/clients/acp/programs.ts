import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import type { MockProviderOptions } from "../../../src/testing/mock-provider/server.ts";

/** Where a program finds Heddle's MCP server: over HTTP as `hh`, and as a program that it starts as `heddle`. */
export interface HeddleDoor {
  readonly url: string;
  readonly token: string;
  /** `heddle mcp` with its arguments. */
  readonly command: readonly string[];
}

/** How a program is asked from a command line, with MCP servers of its own. */
interface AsClient {
  readonly command: string;
  readonly args: readonly string[];
  /** What it reads from standard input. */
  readonly input?: string;
  readonly env?: Readonly<Record<string, string>>;
}

/** An agent that people use, with a mock of its provider. */
export interface Agent {
  readonly command: string;
  readonly args: readonly string[];
  readonly api: MockProviderOptions["api"];
  /** Writes the agent's own configuration; returns its environment. */
  readonly prepare: (home: string, url: string) => Readonly<Record<string, string>>;
  /** What makes its model add the line `two` below the line `one` of a file. */
  readonly write: (path: string) => string;
  /** The name under which its model calls a tool of an MCP server. */
  readonly toolName: (server: string, tool: string) => string;
  /** Prepares it as a client of Heddle, after `prepare`, and returns how it is asked. */
  readonly asClient: (home: string, door: HeddleDoor, prompt: string) => AsClient;
}

export const changed = "one\ntwo\n";

/** The agents by their short names. */
export const agents: Readonly<Record<string, Agent>> = {
  claude: {
    command: "claude-agent-acp",
    args: [],
    api: "anthropic",
    prepare: (_, url) => ({
      ANTHROPIC_BASE_URL: url,
      ANTHROPIC_API_KEY: "x",
      CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: "1",
      DISABLE_AUTOUPDATER: "1",
    }),
    write: (path) => `CALL Write ${JSON.stringify({ file_path: path, content: changed })}`,
    toolName: (server, tool) => `mcp__${server}__${tool}`,
    asClient: (home, door, prompt) => {
      const [command, ...args] = door.command;
      const file = join(home, "mcp.json");
      const hh = { type: "http", url: `${door.url}/mcp`, headers: { Authorization: `Bearer ${door.token}` } };
      const heddle = { command, args, env: { HEDDLE_TOKEN: door.token } };
      writeFileSync(file, JSON.stringify({ mcpServers: { hh, heddle } }));
      const allowed = ["--allowedTools", "mcp__heddle,mcp__hh", "--permission-mode", "dontAsk"];
      const config = ["--mcp-config", file, "--strict-mcp-config", ...allowed, "--output-format", "json"];
      // The adapter for ACP brings it.
      const own = "../@anthropic-ai/claude-agent-sdk-linux-x64/claude";
      return { command: own, args: ["-p", prompt, ...config] };
    },
  },
  codex: {
    command: "codex-acp",
    args: [],
    api: "responses",
    prepare: (home, url) => {
      mkdirSync(join(home, ".codex"));
      const config = [
        'model = "gpt-6.1-sol"',
        'model_provider = "mock"',
        "[model_providers.mock]",
        'name = "mock"',
        `base_url = "${url}/v1"`,
        'env_key = "MOCK_KEY"',
        'wire_api = "responses"',
      ];
      writeFileSync(join(home, ".codex", "config.toml"), config.join("\n"));
      return { CODEX_HOME: join(home, ".codex"), MOCK_KEY: "x", MODEL_PROVIDER: "mock" };
    },
    // Its edits are a custom call of apply_patch, which `startFront` makes.
    toolName: (_, tool) => tool,
    asClient: (_, door, prompt) => {
      const [command, ...rest] = door.command;
      // Without `required` its first requests go out before the servers have answered.
      const heddle = `{command=${JSON.stringify(command)},args=${JSON.stringify(rest)},env={HEDDLE_TOKEN=${JSON.stringify(door.token)}},default_tools_approval_mode="approve",required=true}`;
      const hh = `{url=${JSON.stringify(`${door.url}/mcp`)},bearer_token_env_var="HTOK",default_tools_approval_mode="approve",required=true}`;
      const servers = ["-c", `mcp_servers.heddle=${heddle}`, "-c", `mcp_servers.hh=${hh}`];
      const args = ["exec", "--skip-git-repo-check", "--json", ...servers, prompt];
      return { command: "codex", args, env: { HTOK: door.token } };
    },
    write: (path) => `PATCH\n*** Begin Patch\n*** Update File: ${path}\n@@\n one\n+two\n*** End Patch\nENDPATCH`,
  },
  gemini: {
    command: "gemini",
    args: ["--acp"],
    api: "gemini",
    prepare: (home, url) => {
      mkdirSync(join(home, ".gemini"));
      const settings = { security: { auth: { selectedType: "gemini-api-key" } } };
      writeFileSync(join(home, ".gemini", "settings.json"), JSON.stringify(settings));
      return { GEMINI_API_KEY: "x", GOOGLE_GEMINI_BASE_URL: url, GEMINI_CLI_TRUST_WORKSPACE: "true" };
    },
    write: (path) => `CALL write_file ${JSON.stringify({ file_path: path, content: changed })}`,
    toolName: (server, tool) => `mcp_${server}_${tool}`,
    asClient: (home, door, prompt) => {
      const [command, ...args] = door.command;
      const hh = { httpUrl: `${door.url}/mcp`, headers: { Authorization: `Bearer ${door.token}` }, trust: true };
      const heddle = { command, args, env: { HEDDLE_TOKEN: door.token }, trust: true };
      const file = join(home, ".gemini", "settings.json");
      const settings = JSON.parse(readFileSync(file, "utf8")) as object;
      writeFileSync(file, JSON.stringify({ ...settings, mcpServers: { hh, heddle } }));
      return { command: "gemini", args: ["-p", prompt, "--output-format", "json"] };
    },
  },
  opencode: {
    command: "opencode",
    args: ["acp"],
    api: "chat",
    prepare: (home, url) => {
      const config = {
        provider: {
          mock: {
            npm: "@ai-sdk/openai-compatible",
            options: { baseURL: `${url}/v1`, apiKey: "x" },
            models: { "mock-model": {} },
          },
        },
        model: "mock/mock-model",
        small_model: "mock/mock-model",
        autoupdate: false,
        share: "disabled",
        permission: { edit: "ask", bash: "ask" },
      };
      mkdirSync(join(home, ".config", "opencode"), { recursive: true });
      writeFileSync(join(home, ".config", "opencode", "opencode.json"), JSON.stringify(config));
      return { OPENCODE_DISABLE_AUTOUPDATE: "1", OPENCODE_DISABLE_MODELS_FETCH: "1" };
    },
    write: (path) => `CALL write ${JSON.stringify({ filePath: path, content: changed })}`,
    toolName: (server, tool) => `${server}_${tool}`,
    asClient: (home, door, prompt) => {
      const hh = {
        type: "remote",
        url: `${door.url}/mcp`,
        headers: { Authorization: `Bearer ${door.token}` },
        oauth: false,
      };
      const heddle = { type: "local", command: door.command, environment: { HEDDLE_TOKEN: door.token } };
      const file = join(home, ".config", "opencode", "opencode.json");
      const config = JSON.parse(readFileSync(file, "utf8")) as object;
      writeFileSync(file, JSON.stringify({ ...config, mcp: { hh, heddle } }));
      // An argument with spaces is quoted once more, which breaks its JSON.
      return { command: "opencode", args: ["run", "--format", "json"], input: prompt };
    },
  },
};
