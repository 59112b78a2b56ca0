import type { HeddleClient } from "../../../client/base/types.ts";
import { refusal, type Refusal } from "../../../core/base/errors.ts";
import { err, ok, type Result } from "../../../core/base/result.ts";
import { splitCommand } from "../../../core/base/split-command.ts";
import type { McpServerState } from "../../../core/protocol/base/mcp-server-state.ts";
import type { CommandParams } from "../../../core/protocol/commands.ts";
import type { CommandForm, CommandLine } from "../base/command-line.ts";
import { safeLine } from "../base/safe-text.ts";
import type { Terminal } from "../base/terminal.ts";
import { atServer } from "../start/at-server.ts";
import { serverValues } from "../start/reach-server.ts";

export const mcpServersForm: CommandForm = {
  name: "mcp-servers",
  values: [...serverValues, "action", "name", "command", "address", "values-from"],
  switches: ["json"],
  argument: ["action", "name"],
};

export const mcpServersHelp = `heddle mcp-servers: the MCP servers whose tools agents may call, as in the app's settings

Examples
  heddle mcp-servers                               every server, its state, its tools
  heddle mcp-servers add files --command "npx -y some-server /tmp"
  heddle mcp-servers add issues --address https://mcp.example/mcp --values-from Authorization
  heddle mcp-servers test files                    connect again and wait
  heddle mcp-servers off files
  heddle mcp-servers on files
  heddle mcp-servers remove files

A command runs on the server's machine with your rights, outside the sandbox. --values-from names environment variables:
a program gets them as variables, an address as headers of the same name; their values are stored sealed. A test that
fails exits with 1.

Flags
  --command LINE      the program with its arguments
  --address URL       the address, for streamable HTTP
  --values-from LIST  environment variables whose values it gets
  --json              machine-readable output
  --url URL           the address of a running server, as it was printed
  --token TOKEN       its token                        HEDDLE_TOKEN
  --data DIR          the data folder                  HEDDLE_DATA`;

type Done = Promise<Result<unknown, Refusal>>;

/** Lists, adds, tests, switches or removes MCP servers. */
export async function mcpServersCommand(line: CommandLine, terminal: Terminal): Promise<number> {
  let hasFailed = false;
  const code = await atServer(line, terminal, async ({ client }) => {
    const done = await perform(line, terminal, client);
    hasFailed = done.ok && done.value === false;
    return done.ok ? ok(undefined) : done;
  });
  return code === 0 && hasFailed ? 1 : code;
}

async function perform(line: CommandLine, terminal: Terminal, client: HeddleClient): Done {
  const { action = "list", name: server } = line.values;
  const asJson = line.switches.has("json");
  if (action === "list") {
    const listed = await client.call("mcp.list", {});
    if (!listed.ok) return listed;
    if (asJson) terminal.print(JSON.stringify(listed.value));
    else for (const each of listed.value.servers) terminal.print(lineOf(each));
    return listed;
  }
  if (server === undefined) return err(wrong(`Which one? "heddle mcp-servers ${safeLine(action)} NAME".`));
  switch (action) {
    case "add": {
      const reach = reachOf(line, terminal);
      if (!reach.ok) return reach;
      const added = await client.call("mcp.add", { server, reach: reach.value });
      return added.ok ? test(server) : added;
    }
    case "test":
      return test(server);
    case "on":
    case "off":
      return client.call("mcp.set-enabled", { server, enabled: action === "on" });
    case "remove":
      return client.call("mcp.remove", { server });
    default:
      return err(wrong("It is list, add, test, on, off or remove."));
  }

  async function test(name: string): Done {
    const tested = await client.call("mcp.test", { server: name });
    if (!tested.ok) return tested;
    terminal.print(asJson ? JSON.stringify(tested.value) : lineOf(tested.value));
    return ok(tested.value.status.type !== "failed");
  }
}

type Reach = CommandParams<"mcp.add">["reach"];

function reachOf({ values }: CommandLine, { env }: Terminal): Result<Reach, Refusal> {
  const { command, address } = values;
  if ((command === undefined) === (address === undefined))
    return err(wrong("Give either --command (a program) or --address (an address)."));
  const names = (values["values-from"] ?? "").split(",").filter((name) => name !== "");
  const missing = names.find((name) => env[name] === undefined);
  if (missing !== undefined) return err(wrong(`The variable ${safeLine(missing)} is not set.`));
  const given = Object.fromEntries(names.map((name) => [name, env[name] ?? ""]));
  if (address !== undefined) return ok({ type: "http", url: address, headers: given });
  const [program, ...args] = splitCommand(command ?? "") ?? [];
  if (program === undefined) return err(wrong("--command is empty, or a quotation mark in it is not closed."));
  return ok({ type: "stdio", command: program, args, env: given });
}

function lineOf({ name, place, status, tools }: McpServerState): string {
  const state = status.type === "failed" ? `failed: ${status.reason} ${status.next}` : status.type;
  return safeLine(`${name}  ${place}  ${state}  ${tools.length} tools`);
}

function wrong(message: string): Refusal {
  return refusal("INVALID_PARAMS", {}, message);
}
