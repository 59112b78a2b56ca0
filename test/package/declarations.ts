import { readFileSync } from "node:fs";
import { dirname, join } from "node:path";

/** What one entry exports: the names, each with its declaration as the compiler wrote it, without comments. */
export function publicSurface(entry: string): readonly { readonly name: string; readonly declaration: string }[] {
  const text = readFileSync(entry, "utf8");
  const exported = [...text.matchAll(/export (?:type )?\{([^}]*)\} from "([^"]+)"/g)].flatMap(([, names, from]) =>
    [...(names ?? "").matchAll(/(\w+)(?: as (\w+))?/g)].map(([, own = "", name = own]) => {
      return { name, own, file: join(dirname(entry), (from ?? "").replace(/\.ts$/, ".d.ts")) };
    }),
  );
  return exported
    .map(({ name, own, file }) => ({ name, declaration: declarationOf(own, file) }))
    .toSorted((a, b) => (a.name < b.name ? -1 : 1));
}

function declarationOf(name: string, file: string): string {
  const kind = String.raw`export (?:declare )?(?:abstract )?(?:function|const|class|interface|type) `;
  // Overloads are several; a declaration begins at the margin and goes on until the next thing that does.
  const found = statements(readFileSync(file, "utf8")).filter((each) => new RegExp(`^${kind}${name}\\b`).test(each));
  if (found.length === 0) throw new Error(`${file} declares no ${name}`);
  return found.join("\n");
}

/** The statements of a declaration file. The compiler's own layout is relied on: only they begin at the margin. */
function statements(text: string): readonly string[] {
  return text
    .replaceAll(/^[ \t]*\/\*[\s\S]*?\*\/[ \t]*\n/gm, "")
    .split(/\n(?=(?:export|import|declare|interface|type|class)\b)/)
    .map((statement) => statement.trim());
}
