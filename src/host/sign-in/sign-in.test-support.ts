import { accept } from "../../core/base/result.test-support.ts";
import type { ReadClientDocument } from "../../core/port/oauth.ts";
import { memorySealedValues } from "../base/sealed-values.ts";
import type { Workspace } from "../workspace/workspace.ts";
import { startTestServer, type TestServer, type TestServerOptions } from "../../testing/test-server.ts";
import { loadSignIn, type SignIn } from "./open-sign-in.ts";
import type { RightsKeeper } from "../access/rights-keeper.ts";
import { openMemoryStore } from "../../adapters/storage/memory/open-memory-store.ts";

/** A server whose people really sign in. */
export interface SignInServer {
  readonly server: TestServer;
  readonly signIn: SignIn;
  browser(): Browser;
  /** Makes the first owner, and returns their signed-in browser. */
  owner(): Promise<Browser>;
  close(): Promise<void>;
}

/** An answer as a test reads it: what it expects of a field fails where it is not there. */
interface Body {
  readonly error: { readonly code: string; readonly message: string };
  readonly person: { readonly id: string; readonly name: string } | null;
  readonly sessions: readonly { readonly id: string; readonly isThis: boolean }[];
  readonly [field: string]: unknown;
}

/** What a browser sends and keeps: cookies, by name and path. */
export interface Browser {
  readonly cookies: Map<string, { readonly value: string; readonly path: string; readonly attributes: string }>;
  get(path: string): Promise<{ readonly status: number; readonly body: Body }>;
  /** Opens an address as a link of another site does, and goes nowhere further. */
  open(path: string): Promise<{ readonly status: number; readonly location: string | null; readonly text: string }>;
  post(
    path: string,
    body: object,
    headers?: Record<string, string>,
  ): Promise<{ readonly status: number; readonly body: Body }>;
  upload(path: string, bytes: Uint8Array<ArrayBuffer>): Promise<{ readonly status: number; readonly body: Body }>;
  cookie(path: string): string;
}

export const password = "correct horse battery";
export const ada = { name: "Ada", email: "ada@example.org", password } as const;

interface SignInServerOptions extends Pick<TestServerOptions, "store" | "port" | "filesFolder"> {
  /** What programs say of themselves; nobody answers by default. */
  readonly documents?: ReadClientDocument;
}

export async function startSignInServer(options: SignInServerOptions = {}): Promise<SignInServer> {
  const store = typeof options.store === "object" ? options.store : openMemoryStore();
  let open: ((origin: string) => SignIn) | null = null;
  let signIn: SignIn | null = null;
  const sealed = memorySealedValues();
  const opener = async (keeper: RightsKeeper, workspace: Workspace): Promise<void> => {
    const { tokens, platform } = workspace;
    open = accept(
      await loadSignIn({
        store,
        keeper,
        tokens,
        documents: options.documents ?? (async () => ({ type: "unreachable" })),
        sealed,
        platform,
        workspace,
      }),
    );
  };
  const server = await startTestServer({
    store,
    ...(options.port === undefined ? {} : { port: options.port }),
    ...(options.filesFolder === undefined ? {} : { filesFolder: options.filesFolder }),
    welcome: false,
    beforeServing: opener,
    team: () => (port) => {
      if (open === null) throw new Error("signing in is loaded");
      return (signIn = open(`http://localhost:${port}`));
    },
  });
  if (signIn === null) throw new Error("signing in is open");
  const opened: SignIn = signIn;
  const origin = opened.parts.origin;
  const browser = (): Browser => browserAt(origin);
  return {
    server,
    signIn: opened,
    browser,
    async owner() {
      const secret = accept(await opened.link({ type: "owner" })).split("#link=")[1] ?? "";
      const own = browser();
      const made = await own.post("/auth/accept", { secret, ...ada });
      if (made.status !== 200) throw new Error(JSON.stringify(made));
      return own;
    },
    async close() {
      opened.close();
      await server.close();
    },
  };
}

function browserAt(origin: string): Browser {
  const cookies: Browser["cookies"] = new Map();
  const cookie = (path: string): string =>
    [...cookies]
      .filter(([, { path: of }]) => path.startsWith(of))
      .map(([name, { value }]) => `${name}=${value}`)
      .join("; ");
  function keep({ headers }: Response): void {
    for (const line of headers.getSetCookie()) {
      const [pair = "", ...attributes] = line.split("; ");
      const [name = "", value = ""] = pair.split(/=(.*)/s);
      const of = attributes.find((each) => /^path=/i.test(each))?.slice(5) ?? "/";
      if (/Max-Age=0\b/.test(line) || value === "") cookies.delete(name);
      else cookies.set(name, { value, path: of, attributes: attributes.join("; ") });
    }
  }
  const at = (path: string): string => origin.replace("localhost", "127.0.0.1") + path;
  async function send(
    path: string,
    init: Omit<RequestInit, "headers"> & { headers?: Record<string, string> },
  ): Promise<{ status: number; body: Body }> {
    const headers = { ...init.headers, cookie: cookie(path), origin };
    const response = await fetch(at(path), { ...init, headers });
    keep(response);
    const text = await response.text();
    return { status: response.status, body: text === "" ? null : JSON.parse(text) };
  }
  return {
    cookies,
    cookie,
    get: (path) => send(path, {}),
    upload: (path, body) => send(path, { method: "POST", body }),
    async open(path) {
      const headers = { cookie: cookie(path), "sec-fetch-site": "cross-site", "sec-fetch-mode": "navigate" };
      const response = await fetch(at(path), { headers, redirect: "manual" });
      keep(response);
      return { status: response.status, location: response.headers.get("location"), text: await response.text() };
    },
    post: (path, body, headers = {}) =>
      send(path, {
        method: "POST",
        body: JSON.stringify(body),
        headers: { "content-type": "application/json", ...headers },
      }),
  };
}
