import { err, ok, type Result } from "../../core/base/result.ts";
import type { ToolServerTarget } from "../../core/port/tool-server.ts";
import { isAddress, type McpEntry, type OAuthEntry } from "./read-mcp-config.ts";

type Environment = Readonly<Record<string, string | undefined>>;

/** A server with its variables filled in, and its secrets, which must never be repeated. */
export interface FoundTarget {
  readonly target: ToolServerTarget;
  readonly secrets: readonly string[];
  /** A client that the owner registered for signing in. */
  readonly oauth: OAuthEntry | null;
}

/** The user's environment variables that every program gets; all others must be named in the file. */
const passedOn = [
  ["HOME", "LANG", "LC_ALL", "LC_CTYPE", "LOGNAME", "PATH", "SHELL", "TERM", "TMPDIR", "TZ", "USER"],
  ["APPDATA", "COMSPEC", "HOMEDRIVE", "HOMEPATH", "LOCALAPPDATA", "PATHEXT", "PROGRAMDATA", "PROGRAMFILES"],
  ["SYSTEMDRIVE", "SYSTEMROOT", "TEMP", "TMP", "USERNAME", "USERPROFILE", "WINDIR"],
].flat();

/** Names under which people keep secrets. */
const secretName = /key|token|secret|passw|auth|credential|cookie|session/i;
/** Shorter values would match ordinary words. */
const secretUnitsMin = 8;

/**
 * Fills in the variables of a server's entry (`${NAME}`, `${NAME:-otherwise}`). A program starts in the home folder where
 * the file names none, never in the workspace, whose files could be taken for the program. Refused with a sentence.
 */
export function targetOf(
  { reach }: Pick<McpEntry, "reach">,
  env: Environment,
  home: string,
): Result<FoundTarget, string> {
  const secrets = new Set<string>();
  try {
    const filled = (text: string): string => withVariables(text, env, secrets);
    const named = (texts: Readonly<Record<string, string>>): Readonly<Record<string, string>> =>
      Object.fromEntries(
        Object.entries(texts).map(([name, text]) => {
          const value = filled(text);
          if (secretName.test(name)) for (const part of [value, ...value.split(/\s+/)]) noteSecret(secrets, part);
          return [name, value];
        }),
      );
    const target: ToolServerTarget =
      reach.type === "stdio"
        ? {
            type: "stdio",
            command: filled(reach.command),
            args: reach.args.map(filled),
            env: { ...inherited(env), ...named(reach.env) },
            cwd: reach.cwd === null ? home : filled(reach.cwd),
          }
        : { type: "http", url: addressOf(filled(reach.url)), headers: named(reach.headers) };
    const oauth = reach.type === "stdio" || reach.oauth === null ? null : filledEntry(reach.oauth, filled);
    if (typeof oauth?.clientSecret === "string") noteSecret(secrets, oauth.clientSecret);
    // The longest first: one secret may be a part of another.
    return ok({ target, oauth, secrets: [...secrets].toSorted((a, b) => b.length - a.length) });
  } catch (problem) {
    if (problem instanceof Unfilled) return err(problem.message);
    throw problem;
  }
}

function filledEntry(
  { clientId, clientSecret, issuer, clientMetadataUrl, scope }: OAuthEntry,
  filled: (text: string) => string,
): OAuthEntry {
  const of = (text: string | null): string | null => (text === null ? null : filled(text));
  return {
    clientId: of(clientId),
    clientSecret: of(clientSecret),
    issuer: of(issuer),
    clientMetadataUrl: of(clientMetadataUrl),
    scope: of(scope),
  };
}

/** Returns the text without these secrets. */
export function redacted(text: string, secrets: readonly string[]): string {
  return secrets.reduce((clean, secret) => clean.replaceAll(secret, "[secret]"), text);
}

class Unfilled extends Error {}

function withVariables(text: string, env: Environment, secrets: Set<string>): string {
  return text.replaceAll(
    /\$\{(?:env:)?([A-Za-z_][A-Za-z0-9_]*)(?::-([^}]*))?\}/g,
    (_all, name: string, otherwise?: string) => {
      const set = env[name];
      const value = set === undefined || set === "" ? otherwise : set;
      if (value === undefined) throw new Unfilled(`the variable ${name} is not set`);
      if (secretName.test(name)) noteSecret(secrets, value);
      return value;
    },
  );
}

function noteSecret(secrets: Set<string>, value: string): void {
  if (value.length >= secretUnitsMin) secrets.add(value);
}

function inherited(env: Environment): Readonly<Record<string, string>> {
  return Object.fromEntries(
    passedOn.flatMap((name) => {
      const value = env[name];
      // A shell's functions are exported as variables, and are code.
      return value === undefined || value.startsWith("()") ? [] : [[name, value]];
    }),
  );
}

function addressOf(url: string): string {
  if (!isAddress(url)) throw new Unfilled("its address must be http or https, without a name or password");
  return url;
}
