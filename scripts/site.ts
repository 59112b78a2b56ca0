import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { stripTypeScriptTypes } from "node:module";
import { repository } from "./command.ts";
import { escaped, sitePage, type SitePage } from "./site-page.ts";
import type { SearchEntry } from "./site-search.ts";

// npm run site: writes the documentation as pages with a menu and a search to dist/site, which any web server can serve.

/** The files of the site, in the order of its menu. */
export function siteSources(): readonly string[] {
  const below = (folder: string): readonly string[] =>
    readdirSync(join(repository, folder), { withFileTypes: true, recursive: true })
      .filter((entry) => entry.isFile() && entry.name.endsWith(".md"))
      .map((entry) => relative(repository, join(entry.parentPath, entry.name)).replaceAll("\\", "/"))
      .toSorted();
  const root = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "STYLE.md", "CHANGELOG.md"];
  const docs = below("docs");
  return [...root, ...docs.filter((path) => !path.startsWith("docs/decisions/")), ...below("docs/decisions")];
}

/** Reads every page. */
export function sitePages(): readonly SitePage[] {
  const sources = siteSources();
  const known = new Set(sources);
  return sources.map((source) => sitePage(source, readFileSync(join(repository, source), "utf8"), known));
}

/** Returns what the search knows of the pages. */
export function searchEntries(pages: readonly SitePage[]): readonly SearchEntry[] {
  return pages.flatMap(({ path, title, sections }) => sections.map((section) => ({ path, title, ...section })));
}

function menu(pages: readonly SitePage[], at: SitePage): string {
  const up = "../".repeat(at.path.split("/").length - 1);
  const item = ({ path, title }: SitePage): string =>
    `<li><a href="${up}${path}"${path === at.path ? ' aria-current="page"' : ""}>${escaped(title)}</a></li>`;
  const group = (name: string, list: readonly SitePage[]): string =>
    `<details${name === "Guide" || list.includes(at) ? " open" : ""}><summary>${name}</summary><ul>${list.map(item).join("")}</ul></details>`;
  const inFolder = (folder: string): readonly SitePage[] => pages.filter(({ path }) => path.startsWith(folder));
  const guide = pages.filter(({ path }) => !path.includes("/"));
  return group("Guide", guide) + group("Library", inFolder("library/")) + group("Decisions", inFolder("decisions/"));
}

const style = `:root{color-scheme:light dark;font:16px/1.55 system-ui,sans-serif}body{margin:0;display:grid;grid-template-columns:minmax(200px,280px) minmax(0,1fr)}
nav{position:sticky;top:0;block-size:100vh;overflow:auto;padding:16px;box-sizing:border-box;border-inline-end:1px solid #8884}nav ul{list-style:none;margin:4px 0 12px;padding:0}nav li{margin:2px 0}
nav a{text-decoration:none}nav a[aria-current]{font-weight:700}main{padding:24px 32px;max-inline-size:900px;overflow-wrap:anywhere}input[type=search]{inline-size:100%;font:inherit;padding:6px;box-sizing:border-box}
pre,.table{overflow:auto;background:#8881;padding:8px;border-radius:6px}code{font-size:.92em}table{border-collapse:collapse}td,th{border:1px solid #8884;padding:4px 8px;text-align:start;vertical-align:top}
@media(max-width:700px){body{display:block}nav{position:static;block-size:auto}}`;

/** The search of the site: its code is the tested one, its data is fetched with the first key. */
function searchScript(): string {
  const code = stripTypeScriptTypes(readFileSync(join(import.meta.dirname, "site-search.ts"), "utf8"));
  return `${code.replaceAll("export ", "")}
const field = document.querySelector("input[type=search]");
const list = document.querySelector("#found");
const up = document.documentElement.dataset.up;
let entries = null;
field.addEventListener("input", async () => {
  entries ??= await (await fetch(up + "search.json")).json();
  list.replaceChildren(...findSections(entries, field.value).map(({ path, anchor, title, heading }) => {
    const link = document.createElement("a");
    link.href = up + path + "#" + anchor;
    link.textContent = title === heading ? title : title + ": " + heading;
    const item = document.createElement("li");
    item.append(link);
    return item;
  }));
});
`;
}

function html(page: SitePage, pages: readonly SitePage[]): string {
  const up = "../".repeat(page.path.split("/").length - 1);
  return `<!doctype html><html lang="en" data-up="${up}"><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<title>${escaped(page.title)} · Heddle</title><link rel="stylesheet" href="${up}site.css"><script type="module" src="${up}search.js"></script>
<nav><label>Search<input type="search"></label><ul id="found" aria-live="polite"></ul>${menu(pages, page)}</nav>
<main>${page.html}</main></html>`;
}

if (process.argv[1] === import.meta.filename) {
  const out = join(repository, "dist", "site");
  rmSync(out, { recursive: true, force: true });
  const pages = sitePages();
  const write = (path: string, text: string): void => {
    mkdirSync(dirname(join(out, path)), { recursive: true });
    writeFileSync(join(out, path), text);
  };
  for (const page of pages) write(page.path, html(page, pages));
  write("site.css", style);
  write("search.js", searchScript());
  write("search.json", JSON.stringify(searchEntries(pages)));
  console.log(`${pages.length} pages in dist/site`);
}
