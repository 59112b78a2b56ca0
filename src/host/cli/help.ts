import { columns } from "./base/columns.ts";
import { providerSettings } from "../data/provider-settings.ts";

/** The texts of `serve --help` and `doctor --help`, examples first. */
export const serveHelp = `heddle serve: start the server

Examples
  heddle serve                    on http://127.0.0.1:7420, or the next free port
  heddle serve --open             and open the app in the browser
  heddle serve --json             print one line of JSON, for scripts
  heddle serve --workspace .      with the files of this folder as documents
  heddle serve --team             for several people, who sign in
  HEDDLE_DATA=./notes heddle serve
  HEDDLE_DATABASE_URL=postgres://ada:secret@db/heddle heddle serve

The first line printed is the address to open. It contains the access token: anyone who has the address has
the workspace. To get a lost address back, run the command again: it prints where the server runs.

Flags
  --data DIR           the data folder                              HEDDLE_DATA
  --store URL          a PostgreSQL database for durable data;      HEDDLE_DATABASE_URL
                       default: SQLite in the data folder
  --blobs s3://B/P     images and files in an S3 store, with         HEDDLE_BLOBS
                       HEDDLE_S3_ENDPOINT, HEDDLE_S3_KEY_ID and
                       HEDDLE_S3_SECRET; default: the data folder
  --workspace DIR      a folder whose text files are documents       HEDDLE_WORKSPACE
  --workspace-branch B commit files that Heddle writes to branch B   HEDDLE_WORKSPACE_BRANCH
  --documents git      the files of --workspace are the only         HEDDLE_DOCUMENTS
                       documents; there are no canvases
  --shell off          agents may not run commands in the folder     HEDDLE_SHELL
  --shell-hosts A,B    hosts that those commands may connect to;     HEDDLE_SHELL_HOSTS
                       default: none
  --canvas-tools off   agents have no canvas tools                   HEDDLE_CANVAS_TOOLS
  --web on             agents may read pages of the web              HEDDLE_WEB
  --search-url URL     a search service with SearXNG's JSON answers; HEDDLE_SEARCH_URL
                       agents may search and read pages
  --port N             default 7420; 0 takes any free port           HEDDLE_PORT
  --host H             default 127.0.0.1: this machine only          HEDDLE_HOST
  --allow-remote       with --host: give other machines access
  --team               people sign in, and rights decide what each
                       may do; the first start prints the first
                       owner's link
  --public-url URL     with --team: the https address by which a      HEDDLE_PUBLIC_URL
                       proxy with TLS passes people on
  --oidc-issuer URL    with --team: people may sign in with their    HEDDLE_OIDC_ISSUER
                       account at this provider (OpenID Connect)
  --oidc-client-id ID  how this server is known there; its secret   HEDDLE_OIDC_CLIENT_ID
                       is in HEDDLE_OIDC_CLIENT_SECRET
  --oidc-name NAME     what the button says; default: the host      HEDDLE_OIDC_NAME
  --node-address H:P   run as one of several nodes on one            HEDDLE_NODE_ADDRESS
                       PostgreSQL; the others reach this one here
  --shared-data DIR    with --node-address: the folder for images,   HEDDLE_SHARED_DATA
                       files and keys that all nodes see
  --node-ttl-ms N      how long a node may be silent before another  HEDDLE_NODE_TTL_MS
                       takes over; default: 5000
  --nats URL           with --node-address: a NATS server for hints  HEDDLE_NATS_URL
                       between nodes; default: the database
  --nats-credentials F a file of credentials (.creds) for it         HEDDLE_NATS_CREDENTIALS
  --models FILE        descriptions of models, over the built-in     HEDDLE_MODELS
                       ones
  --mcp-config FILE    MCP servers whose tools agents may call;      HEDDLE_MCP_CONFIG
                       default: mcp.json in the data folder
  --model ID           provider/model for new conversations          HEDDLE_MODEL
  --context-window N   tokens that a model of your own server takes,  HEDDLE_CONTEXT_WINDOW
                       where the server does not say it
  --tell-edits off     models are not told that people changed their  HEDDLE_TELL_EDITS
                       replies
  --when-full WHAT     refuse (the default) or clamp: a request that  HEDDLE_WHEN_FULL
                       leaves too little room for its reply
  --compact-at SHARE   50 to 95 or off: how full a model's window    HEDDLE_COMPACT_AT
                       is, in percent, when the branch is summed
                       up; default: 80
  --thinking LEVEL     off, low, medium (the default) or high: how    HEDDLE_THINKING
                       much models think that can
  --script FILE        the replies of the model scripted/script,     HEDDLE_SCRIPT
                       as JSON, for demos and tests
  --tool-syntax NAME   the syntax of tool calls for models without   HEDDLE_TOOL_SYNTAX
                       a setting of their own: native, xml, caret,
                       …; see "heddle syntax list"
  --tool-calls POLICY  serial-one, smart, serial-all or parallel:    HEDDLE_TOOL_CALLS
                       how the calls of one reply run
  --approvals TIER     which calls need a person: all, writes,       HEDDLE_APPROVALS
                       outward (the default) or none
  --budget-tokens N    tokens that a conversation may use, with      HEDDLE_BUDGET_TOKENS
                       its sub-agents; default: no limit
  --budget-dollars N   the same in US dollars, where prices are      HEDDLE_BUDGET_DOLLARS
                       known
  --budget-steps N     requests to models in one turn                HEDDLE_BUDGET_STEPS
  --budget-sub-agents N  sub-agents in one turn                      HEDDLE_BUDGET_SUB_AGENTS
  --agent-pace PACE    human or instant: speed of the scribe         HEDDLE_AGENT_PACE
  --lease-ttl-ms N     how long an idle agent keeps a canvas         HEDDLE_LEASE_TTL_MS
  --history-days N     how long the history of a document is kept,   HEDDLE_HISTORY_DAYS
                       besides its last 1,000 changes; default: 7
  --open               open the app in the browser
  --json               machine-readable output
  --verbose            write a log of JSON lines to standard error

A setting without a flag comes from the environment, then from heddle/config.json in your configuration folder, then
from the defaults. Put a password into HEDDLE_DATABASE_URL or that file: every user of the machine can read flags.
HEDDLE_TOKEN sets the access token; without it, the first start creates one. HEDDLE_MASTER_KEY seals the providers' keys.

Set the keys of providers in the app's settings, or by these variables:
${columns(variablesOf("key"), 4)}
These variables set a gateway in place of a provider's own address:
${columns(variablesOf("address"), 4)}
HEDDLE_OPENAI_BASE_URL is the address of any other server with OpenAI's chat format,
HEDDLE_OPENAI_MODEL its model. Without any of these, the built-in scribe answers.`;

export const doctorHelp = `heddle doctor: check this machine and the data folder

Examples
  heddle doctor
  heddle doctor --json            for scripts; the exit code is 1 when a check fails
  heddle doctor --data ./notes

Flags
  --data DIR    the data folder to check        HEDDLE_DATA
  --store URL   the database to check           HEDDLE_DATABASE_URL
  --models FILE the catalogue to check          HEDDLE_MODELS
  --mcp-config FILE the MCP servers to check    HEDDLE_MCP_CONFIG
  --port N      the port to check               HEDDLE_PORT
  --host H      the address to check            HEDDLE_HOST
  --approvals T, --shell-hosts A,B              HEDDLE_APPROVALS, HEDDLE_SHELL_HOSTS
                what agents may do without asking
  --json        machine-readable output`;

function variablesOf(wanted: "key" | "address"): readonly string[] {
  return providerSettings.flatMap(({ env, what }) => (what === wanted ? [env] : []));
}
