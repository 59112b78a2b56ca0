import { existsSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** One public name of an entry. */
export interface PublicName {
  readonly name: string;
  /** The declaration as the compiler wrote it, without comments. */
  readonly declaration: string;
  /** The comment before it; empty if there is none. */
  readonly comment: string;
}

/** Returns the names of one entry, sorted. */
export function publicSurface(entry: string): readonly PublicName[] {
  const text = readFileSync(entry, "utf8");
  const exported = [...text.matchAll(/export (?:type )?\{([^}]*)\} from "([^"]+)"/g)].flatMap(([, names, from]) =>
    [...(names ?? "").matchAll(/(\w+)(?: as (\w+))?/g)].map(([, own = "", name = own]) => {
      return { name, own, file: besides(entry, from ?? "") };
    }),
  );
  return exported
    .map(({ name, own, file }) => ({ name, ...declarationOf(own, file) }))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

/** Returns the packages that the declarations of an entry use, directly or through other declarations. */
export function packagesNamed(entry: string): readonly string[] {
  const seen = new Set<string>();
  const packages = new Set<string>();
  const visit = (file: string): void => {
    if (seen.has(file)) return;
    seen.add(file);
    for (const [, from = "", imported = ""] of readFileSync(file, "utf8").matchAll(
      /\bfrom "([^"]+)"|\bimport\("([^"]+)"\)/g,
    )) {
      const name = from || imported;
      if (name.startsWith(".")) visit(besides(file, name));
      else if (!name.startsWith("node:")) packages.add(/^(?:@[^/]+\/)?[^/]+/.exec(name)?.[0] ?? name);
    }
  };
  visit(entry);
  return [...packages].toSorted();
}

/** Returns the declaration file that another one imports. */
function besides(file: string, name: string): string {
  const path = join(dirname(file), name.replace(/\.[jt]s$/, ".d.ts"));
  if (!existsSync(path)) throw new Error(`${file} names ${name}, and ${path} is missing`);
  return path;
}

function declarationOf(name: string, file: string): Omit<PublicName, "name"> {
  const kind = String.raw`export (?:declare )?(?:abstract )?(?:function|const|class|interface|type) `;
  // Overloads are several; a declaration starts at the margin and ends at the next text there.
  const found = statements(readFileSync(file, "utf8")).filter(({ code }) =>
    new RegExp(`^${kind}${name}\\b`).test(code),
  );
  if (found.length === 0) throw new Error(`${file} declares no ${name}`);
  const declarations = found.map(({ code }) => code.replaceAll(/^[ \t]*\/\*[\s\S]*?\*\/[ \t]*\n/gm, "").trim());
  const cut = declarations.find((each) => each.startsWith("export type ") && !each.endsWith(";"));
  if (cut !== undefined) throw new Error(`the declaration of ${name} in ${file} was not read whole`);
  return {
    declaration: declarations.join("\n"),
    comment: found.map(({ comment }) => comment).join("\n"),
  };
}

const atMargin = String.raw`(?:export|import|declare|interface|type|class)\b`;
/** The start of a statement: its comment, or the statement. Comments inside a union are at the margin too. */
const boundary = new RegExp(String.raw`\n(?=/\*\*(?:(?!\*/)[\s\S])*\*/\n${atMargin})|(?<!\*/)\n(?=${atMargin})`);

/**
 * Returns the statements of a declaration file. Relies on the compiler's layout: only statements start at the margin.
 */
function statements(text: string): readonly { readonly comment: string; readonly code: string }[] {
  return text.split(boundary).map((statement) => {
    const comment = /^\/\*\*[\s\S]*?\*\/\n/.exec(statement)?.[0] ?? "";
    return { comment, code: statement.slice(comment.length) };
  });
}
