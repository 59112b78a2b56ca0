import { createHash } from "node:crypto";
import { readdir, stat } from "node:fs/promises";
import type { IncomingMessage, ServerResponse } from "node:http";
import { extname, join, relative, sep } from "node:path";
import { refusal } from "../../core/base/errors.ts";
import { acceptedCodings } from "./http/accepted-codings.ts";
import { sendRefusal } from "./http/http-answer.ts";
import { KeptFiles } from "./http/kept-files.ts";
import {
  framedPageHeaders,
  inertPolicy,
  pagePolicy,
  securityHeaders,
  shellWorkerPolicy,
} from "./http/security-headers.ts";

/** The built web app: its page and its files in one folder. */
export interface AppFiles {
  /** Answers a GET or HEAD of `path`. */
  serve(request: IncomingMessage, response: ServerResponse, path: string): Promise<void>;
}

const contentTypes: Readonly<Record<string, string>> = {
  ".css": "text/css; charset=utf-8",
  ".html": "text/html; charset=utf-8",
  ".ico": "image/x-icon",
  ".mjs": "text/javascript; charset=utf-8",
  ".js": "text/javascript; charset=utf-8",
  ".json": "application/json",
  ".map": "application/json",
  ".png": "image/png",
  ".svg": "image/svg+xml",
  ".txt": "text/plain; charset=utf-8",
  ".wasm": "application/wasm",
  ".webmanifest": "application/manifest+json",
  ".woff2": "font/woff2",
};

/** The build's content hashes: a file with such a name never changes. */
const hashedName = /-[A-Za-z0-9_-]{8,}\.[a-z0-9]+$/;

/** The page that draws diagrams, for a frame of the app. */
const framedPage = "/diagram.html";

/** The script that keeps the app's page and scripts in the browser, for when the server is away. */
const shellWorker = "/service-worker.js";

interface Listing {
  /** Paths with a leading slash, as requested. A script or style is there as `.gz` only. */
  readonly files: ReadonlySet<string>;
  readonly builtAt: number;
  readonly kept: KeptFiles;
}

/**
 * Serves a folder's files by exact name from a listing of the folder: an unlisted path does not exist, so no path can
 * lead out of the folder. The listing is read again after the page was built again.
 */
export function openAppFiles(folder: string, { isTeam = false }: { readonly isTeam?: boolean } = {}): AppFiles {
  let listing: Listing | null = null;
  let looking: Promise<Listing | null> | null = null;

  async function look(): Promise<Listing | null> {
    const builtAt = await modifiedAt(join(folder, "index.html"));
    if (builtAt === undefined) return null;
    if (listing?.builtAt !== builtAt) listing = { files: await list(folder), builtAt, kept: new KeptFiles() };
    return listing;
  }

  /** Requests that arrive together share one look at the disk. */
  function current(): Promise<Listing | null> {
    looking ??= look().finally(() => (looking = null));
    return looking;
  }

  return {
    async serve(request, response, path) {
      const now = await current();
      if (now === null) {
        sendNotBuilt(request, response);
      } else if (path === "/" || path === "/index.html") {
        await sendPage(
          request,
          response,
          ofTeam((await now.kept.read(join(folder, "index.html"))).toString("utf8"), isTeam),
        );
      } else if (path === framedPage && now.files.has(path)) {
        sendWith(request, response, 200, await now.kept.read(join(folder, framedPage)), {
          ...framedPageHeaders(),
          "content-type": "text/html; charset=utf-8",
          "cache-control": "no-store",
        });
      } else if (now.files.has(path) || now.files.has(`${path}${packed}`)) {
        await sendFile(request, response, folder, path, now);
      } else {
        sendRefusal(response, refusal("NOT_FOUND"));
      }
    },
  };
}

/** Marks the page of a team, whose people sign in: it asks for no token. */
function ofTeam(html: string, isTeam: boolean): string {
  return isTeam ? html.replace("<html", "<html data-team") : html;
}

async function list(folder: string): Promise<ReadonlySet<string>> {
  const entries = await readdir(folder, { recursive: true, withFileTypes: true });
  const files = entries.filter((entry) => entry.isFile());
  return new Set(files.map((file) => `/${relative(folder, join(file.parentPath, file.name)).split(sep).join("/")}`));
}

async function modifiedAt(file: string): Promise<number | undefined> {
  try {
    return (await stat(file)).mtimeMs;
  } catch {
    return undefined;
  }
}

/** Sends the page with a policy that lets it run only its own scripts. */
async function sendPage(request: IncomingMessage, response: ServerResponse, html: string): Promise<void> {
  const scripts = [...html.matchAll(/<script(?![^>]*\ssrc=)[^>]*>([\s\S]*?)<\/script>/g)];
  const scriptHashes = scripts.map(([, code]) =>
    createHash("sha256")
      .update(code ?? "")
      .digest("base64"),
  );
  send(request, response, 200, html, {
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": pagePolicy({ host: request.headers.host ?? "", scriptHashes }),
    "cache-control": "no-store",
  });
}

async function sendFile(
  request: IncomingMessage,
  response: ServerResponse,
  folder: string,
  path: string,
  { files, kept }: Listing,
): Promise<void> {
  const isPacked = files.has(`${path}${packed}`) && acceptedCodings(request).has("gzip");
  const file = join(folder, ...path.slice(1).split("/"));
  const bytes = await (isPacked
    ? kept.read(`${file}${packed}`)
    : files.has(path)
      ? kept.read(file)
      : kept.unpack(`${file}${packed}`));
  response.writeHead(200, {
    ...securityHeaders,
    "content-security-policy": path === shellWorker ? shellWorkerPolicy : inertPolicy,
    "content-type": contentTypes[extname(path)] ?? "application/octet-stream",
    "content-length": bytes.length,
    // The frame that draws diagrams has no origin, and loads its scripts like a stranger. They are public.
    ...(path.startsWith("/assets/") ? { "access-control-allow-origin": "*" } : {}),
    "cache-control": hashedName.test(path) ? "public, max-age=31536000, immutable" : "no-cache",
    vary: "accept-encoding",
    ...(isPacked ? { "content-encoding": "gzip" } : {}),
  });
  response.end(request.method === "HEAD" ? undefined : bytes);
}

/** The form in which every script and style is there. */
const packed = ".gz";

function sendNotBuilt(request: IncomingMessage, response: ServerResponse): void {
  const page = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<title>Heddle: the web app is not built</title>
<h1>The web app is not built</h1>
<p>The server runs, but there is no app in <code>dist/web</code>. Run <code>npm run build</code>, then reload this page.</p>
</html>
`;
  send(request, response, 503, page, {
    "content-type": "text/html; charset=utf-8",
    "content-security-policy": inertPolicy,
    "cache-control": "no-store",
  });
}

function send(
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  body: string,
  headers: Readonly<Record<string, string>>,
): void {
  sendWith(request, response, status, Buffer.from(body), { ...securityHeaders, ...headers });
}

function sendWith(
  request: IncomingMessage,
  response: ServerResponse,
  status: number,
  bytes: Uint8Array,
  headers: Readonly<Record<string, string>>,
): void {
  response.writeHead(status, { ...headers, "content-length": bytes.length });
  response.end(request.method === "HEAD" ? undefined : bytes);
}
