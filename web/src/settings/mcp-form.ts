import { splitCommand } from "../../../src/core/base/split-command.ts";
import type { CommandParams } from "../../../src/core/protocol/commands.ts";

/** What a person types to add an MCP server. */
interface McpDraft {
  readonly name: string;
  /** A command line, or an address. */
  readonly place: string;
  /** `NAME=value` a line: variables of a program, headers of an address. */
  readonly values: string;
}

export const emptyMcpDraft: McpDraft = { name: "", place: "", values: "" };

/** Returns the parameters of `mcp.add`, or what is wrong with the draft. */
export function readMcpDraft({ name, place, values }: McpDraft): CommandParams<"mcp.add"> | string {
  const server = name.trim();
  if (server === "") return "Give the server a name.";
  const isAddress = /^https?:\/\//i.test(place.trim());
  const read = readValues(values, isAddress);
  if (typeof read === "string") return read;
  if (isAddress) {
    const url = URL.parse(place.trim());
    if (url === null) return "This is not an address.";
    if (url.username !== "" || url.password !== "") return "Put a password into a header, not into the address.";
    return { server, reach: { type: "http", url: url.href, headers: read } };
  }
  const words = splitCommand(place);
  if (words === null) return "A quotation mark is not closed.";
  const [command = "", ...args] = words;
  if (command === "") return "Give a command such as “npx -y some-server”, or an address.";
  return { server, reach: { type: "stdio", command, args, env: read } };
}

function readValues(text: string, isHeader: boolean): Readonly<Record<string, string>> | string {
  const values: Record<string, string> = {};
  for (const line of text.split("\n")) {
    if (line.trim() === "") continue;
    // A header is also written with a colon, as in its documentation.
    const [, name = "", value = ""] = (isHeader ? /^([^=:]*)[=:](.*)$/ : /^([^=]*)=(.*)$/).exec(line) ?? [];
    const form = isHeader ? /^[!#$%&'*+.^_`|~0-9A-Za-z-]{1,100}$/ : /^[A-Za-z_][A-Za-z0-9_]{0,99}$/;
    if (!form.test(name.trim())) return `Write each value as NAME=value; “${line.trim().slice(0, 20)}” is not.`;
    values[name.trim()] = value.trim();
  }
  return values;
}
