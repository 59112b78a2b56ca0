import { describe, expect, test } from "vitest";
import { readConfiguration, type ConfigurationSources } from "./configuration.ts";

const user = { platform: "linux", home: "/home/ada", env: {} };
const defaults = {
  data: "/home/ada/.local/share/heddle",
  host: "127.0.0.1",
  port: 7420,
  providers: {},
  leaseTtlMs: 15_000,
  agentPace: "human",
  documents: "all",
  canvasTools: "on",
  shell: "on",
  shellHosts: [],
  webhookHosts: [],
  web: "off",
  webHosts: [],
  thinking: "medium",
  whenFull: "refuse",
  tellEdits: "on",
};

interface Told {
  readonly flags?: Readonly<Record<string, string>>;
  readonly env?: Readonly<Record<string, string>>;
  readonly file?: unknown;
}

function sources({ flags = {}, env = {}, file }: Told): ConfigurationSources {
  const text = typeof file === "string" ? file : JSON.stringify(file);
  return { flags, user: { ...user, env }, file: file === undefined ? null : { path: "/etc/config.json", text } };
}

describe("the configuration", () => {
  test.each<readonly [string, Told, object]>([
    ["nothing", {}, {}],
    ["an empty file", { file: {} }, {}],
    ["a file", { file: { port: 80, model: "a/b" } }, { port: 80, model: "a/b" }],
    [
      "the environment over a file",
      { env: { HEDDLE_PORT: "81" }, file: { port: 80, host: "::" } },
      { port: 81, host: "::" },
    ],
    ["a flag over all", { flags: { port: "0" }, env: { HEDDLE_PORT: "81" }, file: { port: 80 } }, { port: 0 }],
    [
      "an empty variable counts as unset",
      { env: { HEDDLE_PORT: "", HEDDLE_DATA: "" }, file: { port: 80 } },
      { port: 80 },
    ],
    [
      "how models call tools",
      { flags: { "tool-syntax": "caret" }, env: { HEDDLE_TOOL_SYNTAX: "xml", HEDDLE_TOOL_CALLS: "smart" } },
      { toolSyntax: "caret", toolPolicy: "smart" },
    ],
    [
      "a node of a cluster",
      {
        flags: { "node-address": "[::1]:7421", "node-ttl-ms": "1500" },
        env: { HEDDLE_SHARED_DATA: "/mnt/heddle", HEDDLE_DATABASE_URL: "postgres://db/heddle" },
      },
      {
        store: "postgres://db/heddle",
        cluster: { host: "[::1]", port: 7421, sharedData: "/mnt/heddle", ttlMs: 1500 },
      },
    ],
    [
      "a provider of accounts",
      {
        flags: { "oidc-issuer": "https://login.example.org", "oidc-client-id": "heddle" },
        env: { HEDDLE_OIDC_CLIENT_SECRET: "sesame" },
      },
      {
        signOn: {
          issuer: "https://login.example.org",
          clientId: "heddle",
          clientSecret: "sesame",
          name: "login.example.org",
        },
      },
    ],
    [
      "approvals and budgets",
      {
        flags: { approvals: "writes", "tool-calls": "parallel", "budget-dollars": "2.50" },
        env: { HEDDLE_BUDGET_TOKENS: "100000", HEDDLE_BUDGET_STEPS: "40", HEDDLE_BUDGET_SUB_AGENTS: "0" },
      },
      {
        approvals: "writes",
        toolPolicy: "parallel",
        budget: { tokens: 100_000, dollars: 2.5, steps: 40, subAgents: 0 },
      },
    ],
    ["a budget in a file", { file: { budgetDollars: 0.5 } }, { budget: { dollars: 0.5 } }],
    ["how models call tools, in a file", { file: { toolSyntax: "glm" } }, { toolSyntax: "glm" }],
    ["the data folder", { flags: { data: "./here" }, env: { HEDDLE_DATA: "/there" } }, { data: "./here" }],
    ["the data folder by variable", { env: { HEDDLE_DATA: "/there", XDG_DATA_HOME: "/x" } }, { data: "/there" }],
    ["the platform's data folder", { env: { XDG_DATA_HOME: "/x" } }, { data: "/x/heddle" }],
    [
      "a database",
      { env: { HEDDLE_DATABASE_URL: "postgres://ada:s3cret@db/heddle" } },
      { store: "postgres://ada:s3cret@db/heddle" },
    ],
    [
      "a database over a socket, as a flag",
      { flags: { store: "postgresql:///heddle?host=/run/postgresql" } },
      { store: "postgresql:///heddle?host=/run/postgresql" },
    ],
    ["how long history is kept", { env: { HEDDLE_HISTORY_DAYS: "30" } }, { historyDays: 30 }],
    ["a lease's lifetime", { flags: { "lease-ttl-ms": "2500" } }, { leaseTtlMs: 2_500 }],
    [
      "the file of MCP servers",
      { flags: { "mcp-config": "m.json" }, env: { HEDDLE_MCP_CONFIG: "n.json" } },
      { mcpConfig: "m.json" },
    ],
    ["documents in git only", { flags: { documents: "git" } }, { documents: "git" }],
    ["no commands", { flags: { shell: "off" }, env: { HEDDLE_SHELL: "on" } }, { shell: "off" }],
    [
      "hosts for commands",
      { env: { HEDDLE_SHELL_HOSTS: "registry.npmjs.org, *.example.org:443," } },
      { shellHosts: ["registry.npmjs.org", "*.example.org:443"] },
    ],
    [
      "the web",
      { flags: { web: "on" }, env: { HEDDLE_SEARCH_URL: "http://127.0.0.1:8888", HEDDLE_WEB_HOSTS: "wiki.lan" } },
      { web: "on", searchUrl: "http://127.0.0.1:8888", webHosts: ["wiki.lan"] },
    ],
    ["hosts for webhooks", { env: { HEDDLE_WEBHOOK_HOSTS: "127.0.0.1:9000" } }, { webhookHosts: ["127.0.0.1:9000"] }],
    ["hosts for commands, in a file", { file: { shellHosts: ["a.b"] } }, { shellHosts: ["a.b"] }],
    ["no canvas tools", { env: { HEDDLE_CANVAS_TOOLS: "off" } }, { canvasTools: "off" }],
    ["14.2 models are not told of edits", { flags: { "tell-edits": "off" } }, { tellEdits: "off" }],
    ["the pace of agents", { env: { HEDDLE_AGENT_PACE: "instant" } }, { agentPace: "instant" }],
    ["a token", { env: { HEDDLE_TOKEN: "0123456789abcdef" } }, { token: "0123456789abcdef" }],
    [
      "providers",
      {
        env: {
          ANTHROPIC_API_KEY: "k1",
          OPENAI_API_KEY: "k2",
          GEMINI_API_KEY: "k3",
          GROQ_API_KEY: "k4",
          MISTRAL_API_KEY: "",
          GEMINI_BASE_URL: "https://gemini.example",
          HEDDLE_OPENAI_BASE_URL: "http://[::1]:8080/v1",
        },
        file: { anthropicBaseUrl: "https://proxy.example", compatibleModel: "qwen" },
      },
      {
        providers: {
          keys: { anthropic: "k1", openai: "k2", google: "k3", groq: "k4" },
          addresses: { google: "https://gemini.example", anthropic: "https://proxy.example" },
          compatibleBaseUrl: "http://[::1]:8080/v1",
          compatibleModel: "qwen",
        },
      },
    ],
    ["variables of other programs are ignored", { env: { PORT: "1", HEDDLE_SYSTEM_NODE: "1" } }, {}],
  ])("%s", (_name, given, expected) => {
    expect(readConfiguration(sources(given))).toEqual({ ok: true, value: { ...defaults, ...expected } });
  });

  const file = "/etc/config.json";
  test.each<readonly [string, Told, object]>([
    ["an unknown key", { file: { prot: 1 } }, { key: "prot", file }],
    ["a key named like an object's own", { file: '{"constructor":1}' }, { key: "constructor", file }],
    ["an unknown flag", { flags: { prot: "1" } }, { key: "--prot" }],
    ["a token as a flag", { flags: { token: "0123456789abcdef" } }, { key: "--token" }],
    ["a provider's key in a file", { file: { openaiApiKey: "k" } }, { key: "openaiApiKey", file }],
    ["Google's key in a file", { file: { geminiApiKey: "k" } }, { key: "geminiApiKey", file }],
    ["the key of a provider without a gateway in a file", { file: { groqApiKey: "k" } }, { key: "groqApiKey", file }],
    ["an invalid address of Google", { file: { geminiBaseUrl: "gemini" } }, { key: "geminiBaseUrl", file }],
    ["a port of letters", { flags: { port: "http" } }, { key: "--port" }],
    ["a port beyond the last", { env: { HEDDLE_PORT: "65536" } }, { key: "HEDDLE_PORT" }],
    ["a port below the first", { file: { port: -1 } }, { key: "port", file }],
    ["a broken port", { file: { port: 80.5 } }, { key: "port", file }],
    ["a port of another form", { flags: { port: "0x50" } }, { key: "--port" }],
    [
      "a wrong value in the file beside a good flag",
      { file: { port: "eighty" }, flags: { host: "::" } },
      { key: "port", file },
    ],
    ["an empty flag", { flags: { data: "" } }, { key: "--data" }],
    ["a host that is not a string", { file: { host: null } }, { key: "host", file }],
    ["a model without provider", { env: { HEDDLE_MODEL: "gpt" } }, { key: "HEDDLE_MODEL" }],
    ["a lease too short to renew", { env: { HEDDLE_LEASE_TTL_MS: "999" } }, { key: "HEDDLE_LEASE_TTL_MS" }],
    ["an unknown tool syntax", { env: { HEDDLE_TOOL_SYNTAX: "yaml" } }, { key: "HEDDLE_TOOL_SYNTAX" }],
    ["an unknown call policy", { flags: { "tool-calls": "many" } }, { key: "--tool-calls" }],
    ["all hosts for commands", { flags: { "shell-hosts": "*" } }, { key: "--shell-hosts" }],
    ["an address in place of a host", { file: { shellHosts: ["https://a.b/"] } }, { key: "shellHosts", file }],
    ["an unknown tier of approvals", { env: { HEDDLE_APPROVALS: "some" } }, { key: "HEDDLE_APPROVALS" }],
    ["a budget of zero", { flags: { "budget-tokens": "0" } }, { key: "--budget-tokens" }],
    ["a negative budget", { env: { HEDDLE_BUDGET_DOLLARS: "-1" } }, { key: "HEDDLE_BUDGET_DOLLARS" }],
    ["a budget in words", { file: { budgetSteps: "many" } }, { key: "budgetSteps" }],
    ["hosts that are not names", { file: { shellHosts: [1] } }, { key: "shellHosts", file }],
    ["an unknown pace", { flags: { "agent-pace": "fast" } }, { key: "--agent-pace" }],
    ["a database of another kind", { flags: { store: "mysql://db/heddle" } }, { key: "--store" }],
    ["a database's file", { env: { HEDDLE_DATABASE_URL: "./heddle.db" } }, { key: "HEDDLE_DATABASE_URL" }],
    ["a short token", { env: { HEDDLE_TOKEN: "secret" } }, { key: "HEDDLE_TOKEN" }],
    ["an address of a file", { env: { OPENAI_BASE_URL: "file:///etc/passwd" } }, { key: "OPENAI_BASE_URL" }],
    ["an invalid address", { file: { openaiBaseUrl: "localhost" } }, { key: "openaiBaseUrl", file }],
    ["a file that is not JSON", { file: "port = 80" }, { file }],
    ["a file that is a list", { file: [] }, { file }],
  ])("refuses %s", (_name, given, details) => {
    const result = readConfiguration(sources(given));
    expect(result).toMatchObject({ ok: false, error: { code: "INVALID_PARAMS", details } });
    if (!result.ok) for (const fact of Object.values(details)) expect(result.error.message).toContain(String(fact));
  });

  test("a refusal never repeats the refused value: it may be a secret", () => {
    const result = readConfiguration(sources({ env: { HEDDLE_TOKEN: "hunter2" } }));
    expect(JSON.stringify(result)).not.toContain("hunter2");
  });
});
