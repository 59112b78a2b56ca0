import { hash8 } from "../../base/hash.ts";
import { wireName } from "../../syntax/base/tools.ts";

/** The longest tool name that every provider accepts, of letters, digits, `_` and `-`. */
const nameUnitsMax = 64;

/** Assigns the names under which models know the tools of servers. */
export class ServerToolNames {
  readonly #prefixesByServer = new Map<string, string>();
  readonly #reserved: ReadonlySet<string>;

  /**
   * `servers` are all configured servers, in their order, connected or not, so that no name depends on which of them
   * happen to be connected. `reserved` are the names of Heddle's own tools.
   */
  constructor(servers: readonly string[], reserved: Iterable<string>) {
    this.#reserved = new Set([...reserved].map(wireName));
    for (const server of servers) {
      const plain = beginning(server);
      const [own, others] = [`${wireName(plain)}_`, [...this.#prefixesByServer.values()].map((p) => `${wireName(p)}_`)];
      const isUnclear = others.some((other) => other.startsWith(own) || own.startsWith(other));
      this.#prefixesByServer.set(server, isUnclear ? `${plain.slice(0, 23)}_${hash8(server)}` : plain.slice(0, 32));
    }
  }

  /**
   * Returns `server_tool` for each tool of a server. A name that is in use, too long, or reserved for one of Heddle's own
   * tools ends in a hash of the tool's own name, so that each tool keeps its name in any order.
   */
  of(server: string, tools: readonly string[]): ReadonlyMap<string, string> {
    const prefix = this.#prefixesByServer.get(server) ?? beginning(server).slice(0, 32);
    const namesByTool = new Map(tools.map((tool) => [tool, `${prefix}_${plainName(tool)}`]));
    const timesByName = new Map<string, number>();
    for (const name of namesByTool.values())
      timesByName.set(wireName(name), (timesByName.get(wireName(name)) ?? 0) + 1);
    const isTaken = (name: string): boolean =>
      this.#reserved.has(wireName(name)) || timesByName.get(wireName(name)) !== 1;
    return new Map(
      [...namesByTool].map(([tool, name]) => {
        // Of several tools with one resulting name, the one with exactly this spelling keeps it.
        const isOwn = name === `${prefix}_${tool}` && !tool.includes("-") && !this.#reserved.has(wireName(name));
        const keeps = name.length <= nameUnitsMax && (isOwn || !isTaken(name));
        return [tool, keeps ? name : `${name.slice(0, nameUnitsMax - 9)}_${hash8(tool)}`];
      }),
    );
  }
}

/** A name that may begin another: Google's models take none that begins with a digit or a hyphen. */
function beginning(name: string): string {
  const plain = plainName(name);
  return /^[a-zA-Z_]/u.test(plain) ? plain : `_${plain}`;
}

function plainName(name: string): string {
  return name.replaceAll(/[^a-zA-Z0-9_-]/gu, "_");
}
