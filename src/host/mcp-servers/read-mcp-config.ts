import { isJsonObject, type Json, type JsonObject } from "../../core/base/json.ts";
import { readJsonWithLines, type JsonWithLines } from "./json-lines.ts";

/** A server as its owner wrote it; its variables are not filled in yet. */
export interface McpEntry {
  readonly name: string;
  readonly enabled: boolean;
  /** Added in the app, not written in the file. */
  readonly isAdded?: true;
  /** How long a call may run without progress. Milliseconds. */
  readonly timeoutMs: number | null;
  readonly reach:
    | {
        readonly type: "stdio";
        readonly command: string;
        readonly args: readonly string[];
        readonly env: Readonly<Record<string, string>>;
        readonly cwd: string | null;
      }
    | {
        readonly type: "http";
        readonly url: string;
        readonly headers: Readonly<Record<string, string>>;
        /** How Heddle is known where people sign in; null: it makes itself known. */
        readonly oauth: OAuthEntry | null;
      };
}

/** A client that the owner registered for signing in; each field null where it is missing. */
export interface OAuthEntry {
  readonly clientId: string | null;
  readonly clientSecret: string | null;
  /** The authorisation server where the client is registered: no other gets its secret. Always there beside a secret. */
  readonly issuer: string | null;
  readonly clientMetadataUrl: string | null;
  readonly scope: string | null;
}

/** The content of a file: its usable servers, in its order, and its problems, for a person. */
export interface McpConfig {
  /** null where the file as a whole cannot be read. */
  readonly entries: readonly McpEntry[] | null;
  readonly problems: readonly string[];
}

const timeoutMsMin = 1_000;
const timeoutMsMax = 3_600_000;
const serversMax = 64;
const known: ReadonlySet<string> = new Set([
  "command",
  "args",
  "env",
  "cwd",
  "url",
  "headers",
  "type",
  "enabled",
  "disabled",
  "timeout",
  "oauth",
]);

/**
 * Reads `{"mcpServers": {NAME: {"command": …} | {"url": …}}}`, the form that other programs use as well. A mistake costs
 * only the server that it is in, and is reported with its line.
 */
export function readMcpConfig(text: string): McpConfig {
  const read = readJsonWithLines(text);
  if (!read.ok) {
    const { line, column } = read.error;
    return { entries: null, problems: [`line ${line}, column ${column}: the text stops being JSON here`] };
  }
  const file = read.value;
  const servers = isJsonObject(file.value) ? file.value["mcpServers"] : undefined;
  if (!isJsonObject(servers)) {
    return { entries: null, problems: ['line 1: must be an object {"mcpServers": {…}}'] };
  }
  const entries: McpEntry[] = [];
  const problems: string[] = [];
  for (const [name, value] of Object.entries(servers)) {
    try {
      if (entries.length === serversMax) throw new Mistake([], `the file has more than ${serversMax} servers`);
      entries.push(entryOf(name, value));
      problems.push(...strayKeys(name, value, file));
    } catch (problem) {
      if (!(problem instanceof Mistake)) throw problem;
      problems.push(problemAt(file, name, problem.path, problem.message));
    }
  }
  return { entries, problems };
}

/** A mistake at a place of one server's entry. */
class Mistake extends Error {
  readonly path: readonly (string | number)[];

  constructor(path: readonly (string | number)[], message: string) {
    super(message);
    this.path = path;
  }
}

function problemAt(file: JsonWithLines, name: string, path: readonly (string | number)[], problem: string): string {
  const line = file.lineOf(["mcpServers", name, ...path]);
  const place = path.length === 0 ? "" : `, "${path.join(".").slice(0, 80)}"`;
  return `line ${line}: "${name.slice(0, 64)}"${place}: ${problem}`;
}

function strayKeys(name: string, value: Json, file: JsonWithLines): readonly string[] {
  const keys = isJsonObject(value) ? Object.keys(value) : [];
  return keys
    .filter((key) => !known.has(key))
    .map((key) => problemAt(file, name, [key], "is an unknown key and has no effect"));
}

function entryOf(name: string, value: Json): McpEntry {
  if (!/^[^\p{C}]{1,64}$/u.test(name) || name.trim() !== name || name === "__proto__")
    throw new Mistake([], "the name must have 1 to 64 visible characters");
  if (!isJsonObject(value)) throw new Mistake([], 'must be an object with "command" or "url"');
  const { command, url, timeout } = value;
  if ((command === undefined) === (url === undefined))
    throw new Mistake([], 'must have either "command" (a program) or "url" (an address)');
  const type = command === undefined ? "http" : "stdio";
  checkType(value["type"], type);
  return {
    name,
    enabled: flag(value, "enabled") ?? !(flag(value, "disabled") ?? false),
    timeoutMs: timeout === undefined ? null : timeoutOf(timeout),
    reach:
      type === "stdio"
        ? {
            type,
            command: textAt(value, "command"),
            args: textsAt(value, "args"),
            env: namedTextsAt(value, "env", /^[A-Za-z_][A-Za-z0-9_]*$/, "a variable's name"),
            cwd: value["cwd"] === undefined ? null : textAt(value, "cwd"),
          }
        : {
            type,
            url: addressAt(value),
            headers: namedTextsAt(value, "headers", /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/, "a header's name"),
            oauth: oauthAt(value),
          },
  };
}

const oauthKeys = ["clientId", "clientSecret", "issuer", "clientMetadataUrl", "scope"] as const;

/** `false` is what other programs write for none. */
function oauthAt(value: JsonObject): OAuthEntry | null {
  const { oauth } = value;
  if (oauth === undefined || oauth === false) return null;
  if (!isJsonObject(oauth)) throw new Mistake(["oauth"], "must be an object");
  const stray = Object.keys(oauth).find((key) => !oauthKeys.includes(key as (typeof oauthKeys)[number]));
  if (stray !== undefined) throw new Mistake(["oauth", stray], `is none of ${oauthKeys.join(", ")}`);
  const [clientId, clientSecret, issuer, clientMetadataUrl, scope] = oauthKeys.map((key) =>
    oauth[key] === undefined ? null : asText(oauth[key], ["oauth", key]),
  );
  if (typeof clientSecret === "string" && typeof issuer !== "string")
    throw new Mistake(
      ["oauth", "clientSecret"],
      "needs issuer beside it: the address of the server that gets the secret",
    );
  return {
    clientId: clientId ?? null,
    clientSecret: clientSecret ?? null,
    issuer: issuer ?? null,
    clientMetadataUrl: clientMetadataUrl ?? null,
    scope: scope ?? null,
  };
}

function checkType(said: Json | undefined, is: "stdio" | "http"): void {
  if (said === undefined) return;
  if (said === "sse")
    throw new Mistake(["type"], 'the older "sse" transport is not supported; give the address for streamable HTTP');
  const names = is === "stdio" ? ["stdio"] : ["http", "streamable-http", "streamableHttp"];
  if (typeof said !== "string" || !names.includes(said)) throw new Mistake(["type"], `must be "${is}" or missing`);
}

function flag(value: JsonObject, key: string): boolean | undefined {
  const said = value[key];
  if (said === undefined || typeof said === "boolean") return said;
  throw new Mistake([key], "must be true or false");
}

function timeoutOf(value: Json): number {
  if (typeof value === "number" && Number.isInteger(value) && value >= timeoutMsMin && value <= timeoutMsMax)
    return value;
  throw new Mistake(["timeout"], `must be a whole number of milliseconds from ${timeoutMsMin} to ${timeoutMsMax}`);
}

function textAt(value: JsonObject, key: string): string {
  return asText(value[key], [key]);
}

function asText(value: Json | undefined, path: readonly (string | number)[]): string {
  if (typeof value === "string" && value !== "" && !value.includes("\0")) return value;
  throw new Mistake(path, "must be a string");
}

function textsAt(value: JsonObject, key: string): readonly string[] {
  const list = value[key] ?? [];
  if (!Array.isArray(list)) throw new Mistake([key], "must be a list of strings");
  return list.map((each: Json, at) => {
    if (typeof each === "string" && !each.includes("\0")) return each;
    throw new Mistake([key, at], "must be a string");
  });
}

function namedTextsAt(value: JsonObject, key: string, form: RegExp, what: string): Readonly<Record<string, string>> {
  const texts = value[key] ?? {};
  if (!isJsonObject(texts)) throw new Mistake([key], "must be an object of strings");
  return Object.fromEntries(
    Object.entries(texts).map(([name, text]) => {
      if (!form.test(name) || name === "__proto__") throw new Mistake([key, name], `this is not ${what}`);
      // A header with a line break would be two headers.
      if (typeof text === "string" && !/[\0\r\n]/.test(text)) return [name, text];
      throw new Mistake([key, name], "must be a string of one line");
    }),
  );
}

function addressAt(value: JsonObject): string {
  const url = textAt(value, "url");
  // A variable may be anywhere in the address; the filled-in address is checked again.
  if (url.includes("${") || isAddress(url)) return url;
  throw new Mistake(["url"], "must be an http or https address without a name or password");
}

/** Whether a server can be reached at this address. */
export function isAddress(url: string): boolean {
  if (!URL.canParse(url)) return false;
  const { protocol, username, password } = new URL(url);
  return /^https?:$/.test(protocol) && username === "" && password === "";
}
