import { providerSettings } from "../data/provider-settings.ts";

/** What `--help` says, examples first. */
export const generalHelp = `Heddle: a workspace in which people and language models write together.

Examples
  heddle                          start the server and open the app in the browser
  heddle serve --port 0           start on any free port
  heddle serve --data ./notes     keep the data in ./notes
  heddle chat                     talk with a model in the terminal
  heddle run "Name three looms"   ask once, for scripts
  heddle doctor                   check that everything is in order

Commands
  serve     start the server (the default; then with --open)
  chat      talk with a model in the terminal
  run       ask once, get the answer, for scripts
  backup    copy everything to another folder
  import    take conversations over from elsewhere
  export    write a conversation into a file
  trace     write down what the turns of a conversation went through
  replay    see a trace again, state by state
  syntax    the forms in which models call tools, and a try of one
  doctor    check this machine and the data folder

"heddle COMMAND --help" says more. "heddle --version" prints the version.`;

export const serveHelp = `heddle serve: start the server

Examples
  heddle serve                    on http://127.0.0.1:7420, or the next free port
  heddle serve --open             and open the app in the browser
  heddle serve --json             print one line of JSON, for scripts
  heddle serve --workspace .      with the files of this folder as documents
  HEDDLE_DATA=./notes heddle serve
  HEDDLE_DATABASE_URL=postgres://ada:secret@db/heddle heddle serve

The first line printed has the address to open. It carries the token that lets a browser in: whoever has
the address has the workspace. Lost it? Start again on the same data: that is refused, and says where the server is.

Flags
  --data DIR           where the data is kept                       HEDDLE_DATA
  --store URL          a PostgreSQL database for what is durable;   HEDDLE_DATABASE_URL
                       default: SQLite in the data folder
  --workspace DIR      a folder whose text files are documents       HEDDLE_WORKSPACE
  --workspace-branch B commit what is written there to this branch   HEDDLE_WORKSPACE_BRANCH
  --documents git      the files of --workspace are the only         HEDDLE_DOCUMENTS
                       documents; there are no canvases
  --shell off          agents run no commands in the folder          HEDDLE_SHELL
  --shell-hosts A,B    hosts that those commands may connect to;     HEDDLE_SHELL_HOSTS
                       default: none
  --canvas-tools off   agents know of no canvas                      HEDDLE_CANVAS_TOOLS
  --port N             default 7420; 0 takes any free port           HEDDLE_PORT
  --host H             default 127.0.0.1: this machine only          HEDDLE_HOST
  --allow-remote       let other machines in, with --host
  --models FILE        describe models, over what is known           HEDDLE_MODELS
  --mcp-config FILE    MCP servers whose tools agents may call;      HEDDLE_MCP_CONFIG
                       default: mcp.json in the data folder
  --model ID           provider/model for new conversations          HEDDLE_MODEL
  --tool-syntax NAME   how models call tools that have no say of     HEDDLE_TOOL_SYNTAX
                       their own: native, xml, caret, …; see
                       "heddle syntax list"
  --tool-calls POLICY  serial-one, smart, serial-all or parallel:    HEDDLE_TOOL_CALLS
                       how several calls of a reply are carried out
  --approvals TIER     which calls need a person: all, writes,       HEDDLE_APPROVALS
                       outward (the default) or none
  --budget-tokens N    what a conversation may use up, its           HEDDLE_BUDGET_TOKENS
                       sub-agents included; default: no bound
  --budget-dollars N   the same in US dollars, where prices are      HEDDLE_BUDGET_DOLLARS
                       known
  --budget-steps N     requests to models in one turn                HEDDLE_BUDGET_STEPS
  --budget-sub-agents N  sub-agents in one turn                      HEDDLE_BUDGET_SUB_AGENTS
  --agent-pace PACE    human or instant: the built-in author         HEDDLE_AGENT_PACE
  --lease-ttl-ms N     how long an idle agent keeps a canvas         HEDDLE_LEASE_TTL_MS
  --open               open the app in the browser
  --json               machine-readable output
  --verbose            log what happens, as lines of JSON, to standard error

What no flag says comes from the environment, then from heddle/config.json in your configuration folder, then from
the defaults. A password belongs into HEDDLE_DATABASE_URL or that file: flags can be read by every user of the machine.
HEDDLE_TOKEN sets the token that is otherwise made at the first start, HEDDLE_MASTER_KEY what seals the keys of providers.

Keys of providers are set in the app's settings, or come from variables:
${columns(variablesOf("key"))}
These variables name a gateway in place of a provider's own address:
${columns(variablesOf("address"))}
HEDDLE_OPENAI_BASE_URL names any other server that speaks OpenAI's chat format,
HEDDLE_OPENAI_MODEL its model. Without any of them the built-in author answers.`;

export const doctorHelp = `heddle doctor: check this machine and the data folder

Examples
  heddle doctor
  heddle doctor --json            for scripts; the exit code is 1 when a check fails
  heddle doctor --data ./notes

Flags
  --data DIR    the data folder to look at      HEDDLE_DATA
  --store URL   the database to look at         HEDDLE_DATABASE_URL
  --models FILE the catalogue to look at        HEDDLE_MODELS
  --mcp-config FILE the MCP servers to look at  HEDDLE_MCP_CONFIG
  --port N      the port to look at             HEDDLE_PORT
  --host H      the address to look at          HEDDLE_HOST
  --approvals T, --shell-hosts A,B              HEDDLE_APPROVALS, HEDDLE_SHELL_HOSTS
                what agents may do unasked
  --json        machine-readable output`;

function variablesOf(wanted: "key" | "address"): readonly string[] {
  return providerSettings.flatMap(({ env, what }) => (what === wanted ? [env] : []));
}

/** Names in columns, four to a line. */
function columns(names: readonly string[]): string {
  const width = Math.max(...names.map((name) => name.length)) + 2;
  const lines = names.flatMap((_, at) => (at % 4 === 0 ? [names.slice(at, at + 4)] : []));
  return lines
    .map(
      (line) =>
        `  ${line
          .map((name) => name.padEnd(width))
          .join("")
          .trimEnd()}`,
    )
    .join("\n");
}
